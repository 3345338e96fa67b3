import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pRetry, { AbortError } from 'p-retry';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';

export interface TransferDeps {
  /** Servers that were unreachable in this run, with the reason: they are not tried again. */
  readonly unreachable: Map<string, string>;
  readonly connectTimeoutMs?: number;
}

/** The published properties of a file, which a download must match. */
export interface Expected {
  readonly algorithm: 'sha256' | 'sha512';
  readonly digest: string;
}

/** Downloads from servers of releases, through the proxy of the environment if there is one. */
export interface Transfer {
  readonly get: (url: string, accept?: string) => Promise<Response>;
  /** Downloads a URL to a file; starts again when the connection breaks, fails when the file does not match. */
  readonly save: (url: string, file: string, expected: Expected) => Promise<void>;
}

/** Provides a transfer while `use` runs. */
export async function withTransfer<T>(
  { unreachable, connectTimeoutMs = 4_000 }: TransferDeps,
  onProgress: (detail: string) => void,
  work: (transfer: Transfer) => Promise<T>,
): Promise<T> {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: connectTimeoutMs }, bodyTimeout: 30_000 });
  const get = (url: string, accept?: string): Promise<Response> => ask(url, accept, agent, unreachable);
  const save = (url: string, file: string, { algorithm, digest }: Expected): Promise<void> =>
    pRetry(
      async () => {
        const actual = await write(await get(url), file, algorithm, onProgress);
        if (actual === digest) return;
        throw new AbortError(`${url} differs from the published file: its ${algorithm} is ${actual}, not ${digest}`);
      },
      { retries: 2, minTimeout: 200, shouldRetry: () => !unreachable.has(new URL(url).host) },
    );
  try {
    return await work({ get, save });
  } finally {
    await agent.destroy();
  }
}

async function ask(
  url: string,
  accept: string | undefined,
  dispatcher: EnvHttpProxyAgent,
  unreachable: Map<string, string>,
): Promise<Response> {
  const { host } = new URL(url);
  const known = unreachable.get(host);
  if (known !== undefined) throw new Error(`${host} was unreachable a moment ago: ${known}`);
  let response: Response;
  try {
    response = await fetch(url, { dispatcher, ...(accept === undefined ? {} : { headers: { accept } }) });
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    unreachable.set(host, reason);
    throw new Error(`${host} is unreachable: ${reason}`, { cause: error });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new AbortError(`${url} answered ${response.status} ${response.statusText}`);
}

/** Writes the body to a file and returns its digest. */
async function write(
  response: Response,
  file: string,
  algorithm: Expected['algorithm'],
  onProgress: (detail: string) => void,
): Promise<string> {
  if (response.body === null) throw new Error(`${response.url} has no content`);
  const total = Number(response.headers.get('content-length') ?? 0);
  const digest = createHash(algorithm);
  let received = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      received += chunk.length;
      const of = total > 0 ? ` of ${megabytes(total)}` : '';
      onProgress(`downloading ${megabytes(received)}${of}`);
      done(null, chunk);
    },
  });
  try {
    await pipeline(Readable.fromWeb(response.body), measure, createWriteStream(file));
  } catch (error) {
    throw new Error(`the download of ${response.url} broke off after ${received} bytes`, { cause: error });
  }
  if (total > 0 && received !== total) {
    throw new Error(`the download of ${response.url} ended after ${received} of ${total} bytes`);
  }
  return digest.digest('hex');
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
