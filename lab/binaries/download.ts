import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import pRetry, { AbortError } from 'p-retry';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';
import type { Download } from './catalog.ts';

export interface DownloadDeps {
  /** Hosts that could not be reached in this run, with the reason: they are not asked again. */
  readonly unreachable: Map<string, string>;
  readonly connectTimeoutMs?: number;
}

/** Fetches a release, checks it against its published checksum and unpacks it; the program is `folder/program`. */
export async function downloadProgram(
  download: Download,
  folder: string,
  deps: DownloadDeps,
  onProgress: (detail: string) => void,
): Promise<string> {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: deps.connectTimeoutMs ?? 4_000 }, bodyTimeout: 30_000 });
  const get = (url: string): Promise<Response> => ask(url, agent, deps.unreachable);
  try {
    const file = join(folder, basename(download.url));
    const expected = checksumIn(await (await get(download.checksumUrl)).text(), basename(download.url));
    if (expected === undefined)
      throw new Error(`${download.checksumUrl} has no checksum for ${basename(download.url)}`);
    await pRetry(
      async () => {
        const actual = await save(await get(download.url), file, download.algorithm, onProgress);
        if (actual === expected) return;
        throw new AbortError(
          `${download.url} is not what was published: its ${download.algorithm} is ${actual}, not ${expected}`,
        );
      },
      { retries: 2, minTimeout: 200, shouldRetry: () => !deps.unreachable.has(new URL(download.url).host) },
    );
    return await unpack(file, folder, download.member);
  } finally {
    await agent.destroy();
  }
}

async function ask(url: string, dispatcher: EnvHttpProxyAgent, unreachable: Map<string, string>): Promise<Response> {
  const { host } = new URL(url);
  const known = unreachable.get(host);
  if (known !== undefined) throw new Error(`${host} could not be reached a moment ago: ${known}`);
  let response: Response;
  try {
    response = await fetch(url, { dispatcher });
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    unreachable.set(host, reason);
    throw new Error(`${host} cannot be reached: ${reason}`, { cause: error });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new AbortError(`${url} answered ${response.status} ${response.statusText}`);
}

/** Writes the body to a file and returns its digest. */
async function save(
  response: Response,
  file: string,
  algorithm: Download['algorithm'],
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

/** Reads both kinds of checksum files: a lone digest, and lines of `digest  file`. */
export function checksumIn(text: string, file: string): string | undefined {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/));
  const [only] = lines;
  if (lines.length === 1 && only?.length === 1) return isDigest(only[0]) ? only[0].toLowerCase() : undefined;
  const digest = lines.find(([, name]) => name === file)?.[0];
  return isDigest(digest) ? digest.toLowerCase() : undefined;
}

const isDigest = (text: string | undefined): text is string =>
  text !== undefined && /^([0-9a-f]{64}){1,2}$/i.test(text);

async function unpack(file: string, folder: string, member: string | undefined): Promise<string> {
  const program = join(folder, 'program');
  if (member === undefined) {
    await rename(file, program);
  } else {
    // macOS has the zip files; its tar reads them.
    await execa('tar', ['-xf', file, '-C', folder, member]);
    await rename(join(folder, member), program);
  }
  await chmod(program, 0o755);
  return program;
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
