import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A key of AES-256. */
export interface EncryptionKey {
  /**
   * The key's name, and a fingerprint of the key. A key that was replaced under the same name has another id: what the
   * old key encrypted is then reported as encrypted with a missing key, instead of being ignored as garbage.
   */
  readonly id: string;
  readonly key: KeyObject;
}

export interface EncryptionKeys {
  /** The key that encrypts; undefined: new payloads are not encrypted. */
  readonly current: EncryptionKey | undefined;
  /** All keys that decrypt, by id. */
  readonly byId: ReadonlyMap<string, EncryptionKey>;
}

/** In a folder, the file that names the key that encrypts. */
export const CURRENT = 'current';
/** The word instead of a key's name: new payloads are not encrypted, and encrypted payloads can still be read. */
const NONE = 'none';
const KEY_BYTES = 32;

/**
 * Reads a folder with one file for each key, which holds 32 bytes in base64, and a file `current` with a key's name.
 */
export async function readKeyFolder(folder: string): Promise<EncryptionKeys> {
  // Kubernetes adds files that begin with a dot.
  const files = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim();
  const current = files.includes(CURRENT) ? await read(CURRENT) : undefined;
  if (current === undefined) throw new Error(`the folder ${folder} has no file '${CURRENT}'`);
  const names = files.filter((name) => name !== CURRENT);
  return keysFrom(await Promise.all(names.map(async (name) => [name, await read(name)] as const)), current);
}

/** Reads `name:base64,name:base64`: the first key encrypts, or none when the text begins with `none,`. */
export function readKeyText(text: string): EncryptionKeys {
  const entries = text.split(',').map((entry) => entry.trim());
  const [first = ''] = entries;
  const pairs = entries
    .filter((entry) => entry !== NONE)
    .map((entry) => {
      const colon = entry.indexOf(':');
      return [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)] as const;
    });
  return keysFrom(pairs, first === NONE ? NONE : (pairs[0]?.[0] ?? ''));
}

/** Throws without quoting a key. */
function keysFrom(pairs: readonly (readonly [name: string, base64: string])[], current: string): EncryptionKeys {
  const keys = pairs.map(([name, base64]) => [name, keyFrom(name, base64)] as const);
  const found = keys.find(([name]) => name === current)?.[1];
  if (current !== NONE && found === undefined) throw new Error(`there is no key '${current}' to encrypt with`);
  return { current: found, byId: new Map(keys.map(([, key]) => [key.id, key])) };
}

function keyFrom(name: string, base64: string): EncryptionKey {
  if (!/^[\w.-]+$/.test(name)) throw new Error('a key needs a name of letters, digits and . _ -');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== base64)
    throw new Error(`the key '${name}' is not ${KEY_BYTES} bytes in base64`);
  const fingerprint = createHash('sha256').update('temper payload key').update(bytes).digest('hex').slice(0, 8);
  return { id: `${name}:${fingerprint}`, key: createSecretKey(bytes) };
}
