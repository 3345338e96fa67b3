import { isNmstate } from '../../domain/ironic/deployment/network-data.ts';
import type { IronicJson } from '../../domain/ironic/node/node-json.ts';
import type { SecretSeen } from '../../domain/ironic/orders.ts';
import { HostDataError, keysInWords, type SecretText } from '../host-data.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import type { Parsed } from './parse.ts';
import type { TextProblem } from './problem.ts';
import { createDocumentReader, type DocumentReader } from './threads.ts';

/** One for the process: its threads end when they have nothing to do. */
const readInThread = createDocumentReader();

/**
 * Reads texts before a place at Ironic is taken: a text may take long, and others wait for the place. In the place,
 * `known` gives what was read.
 */
export interface TextsAhead {
  readonly ahead: DocumentReader;
  /** Rejects with `UnreadText` for a text that was not read ahead. */
  readonly known: DocumentReader;
}

/** The text has changed since the texts were read ahead. */
export class UnreadText extends Error {
  override readonly name = 'UnreadText';
}

/**
 * Texts of one namespace that are waited for at a time. Each keeps one of the activities waiting that ask Ironic, of
 * which a process has 100.
 */
const MOST_AHEAD = 30;

/** So many texts of the namespace are being read that the operation comes again later. */
export class TooManyTexts extends Error {
  override readonly name = 'TooManyTexts';
}

/** Texts that are read ahead, by namespace. */
const waiting = new Map<string, number>();

async function whileFew<T>(namespace: string, read: () => Promise<T>): Promise<T> {
  const others = waiting.get(namespace) ?? 0;
  if (others >= MOST_AHEAD)
    throw new TooManyTexts(`${others} texts in Secrets of other hosts in namespace ${namespace} are being read`);
  waiting.set(namespace, others + 1);
  try {
    return await read();
  } finally {
    const left = (waiting.get(namespace) ?? 1) - 1;
    if (left > 0) waiting.set(namespace, left);
    else waiting.delete(namespace);
  }
}

/** `signal`: of the operation that needs the texts. */
export function textsAhead(signal: AbortSignal): TextsAhead {
  const texts = new Map<string, Parsed>();
  return {
    async ahead(namespace, text) {
      const parsed = texts.get(text) ?? (await whileFew(namespace, () => readInThread(namespace, text, signal)));
      texts.set(text, parsed);
      return parsed;
    },
    async known(_, text) {
      const parsed = texts.get(text);
      if (parsed === undefined) throw new UnreadText('a Secret has changed since it was read');
      return parsed;
    },
  };
}

/** Reads metadata or network data of a user to an object; undefined for none. Throws a DocumentError. */
export async function readDocument(
  source: SecretText | undefined,
  reader: DocumentReader = readInThread,
): Promise<IronicJson | undefined> {
  if (source === undefined || source.text.trim() === '') return undefined;
  const { text, namespace } = source;
  // A longer text is not even copied to a thread.
  if (Buffer.byteLength(text) > DOCUMENT_LIMITS.bytes)
    throw new DocumentError(source, { reason: `it has more than ${DOCUMENT_LIMITS.bytes} bytes` });
  const parsed = await reader(namespace, text);
  if (parsed.kind === 'problem') throw new DocumentError(source, parsed.problem);
  return parsed.data;
}

/** The same for network data that nothing but Ironic and the deployed system will read, so that it must be OpenStack's. */
export async function readNetworkData(
  source: SecretText | undefined,
  reader?: DocumentReader,
): Promise<IronicJson | undefined> {
  if (source?.unreadKeys !== undefined && source.unreadKeys.length > 0) {
    const reason = `it has no network data: that is read from the key networkData, or else from value, and nobody reads ${keysInWords(source.unreadKeys)}`;
    throw new DocumentError({ ...source, key: '' }, { reason });
  }
  const data = await readDocument(source, reader);
  if (source !== undefined && data !== undefined && isNmstate(data))
    throw new DocumentError(source, {
      reason: 'it holds nmstate, not OpenStack network data (links, networks, services)',
    });
  return data;
}

/** A text in a user's Secret is wrong: only a change of it helps. Names Secret, key, line and column, never the content. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly wrongSecret: SecretSeen;

  constructor({ secret, key, version }: SecretText, { reason, line, column }: TextProblem) {
    const within = key === '' ? '' : `, key ${key}`;
    const place = line === undefined ? '' : `, line ${line}, column ${column}`;
    super(`Secret ${secret}${within}${place}: ${reason}`);
    this.wrongSecret = { name: secret, resourceVersion: version };
  }
}

/** True for missing or invalid content of the host's own Secrets; false for errors while reading them. */
export const isUsersFault = (error: unknown): error is DocumentError | HostDataError =>
  error instanceof DocumentError || error instanceof HostDataError;
