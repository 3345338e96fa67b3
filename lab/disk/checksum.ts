import { getHashes } from 'node:crypto';
import { basename } from 'node:path';
import { fetch } from 'undici';

/** Ironic's description of the image to write. */
export interface AgentImageInfo {
  readonly urls?: readonly string[];
  readonly checksum?: string | null;
  readonly os_hash_algo?: string | null;
  readonly os_hash_value?: string | null;
  readonly disk_format?: string | null;
}

export interface Checksum {
  readonly algorithm: string;
  readonly value: string;
}

const ALGORITHM_BY_LENGTH: Readonly<Record<number, string>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  96: 'sha384',
  128: 'sha512',
};

/**
 * Finds the checksum of `fileName` in a checksum file with lines `value`, `value  name`, `value *name` or `ALGO (name)
 * = value`.
 */
export const findChecksum = (file: string, fileName: string): string | undefined => {
  const lines = file
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [only] = lines;
  if (lines.length === 1 && only !== undefined && /^[0-9a-f]{32,}$/i.test(only)) return only;
  for (const line of lines) {
    const gnu = /^([0-9a-f]{32,})\s+[ *]?(.+)$/i.exec(line);
    const bsd = /^\S+\s+\((.+)\)\s*=\s*([0-9a-f]{32,})$/i.exec(line);
    const [value, name] = gnu ? [gnu[1], gnu[2]] : [bsd?.[2], bsd?.[1]];
    if (name !== undefined && basename(name) === fileName) return value;
  }
  return undefined;
};

const fetchChecksum = async (url: string, imageUrl: string): Promise<string> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Received status code ${response.status} from ${url}, expected 200`);
  const fileName = basename(new URL(imageUrl).pathname);
  const value = findChecksum(await response.text(), fileName);
  if (value === undefined)
    throw new Error(`Download of image ${url} failed: Checksum file does not contain name ${fileName}`);
  return value;
};

/**
 * The checksum that the agent must verify: a named algorithm takes precedence over the bare value, which may also be a
 * URL.
 */
export const wantedChecksum = async (info: AgentImageInfo, imageUrl: string): Promise<Checksum> => {
  const { os_hash_algo: named, os_hash_value: hash } = info;
  const given = named && hash ? hash : info.checksum;
  if (!given) throw new Error(`No checksum was given for image ${imageUrl}`);
  const value = /^https?:\/\//.test(given) ? await fetchChecksum(given, imageUrl) : given;
  const algorithm = named && hash ? named.toLowerCase() : ALGORITHM_BY_LENGTH[value.length];
  if (algorithm === undefined || !getHashes().includes(algorithm)) {
    throw new Error(
      `Unable to verify image ${imageUrl}: unknown checksum algorithm ${algorithm ?? `of length ${value.length}`}`,
    );
  }
  return { algorithm, value: value.toLowerCase() };
};
