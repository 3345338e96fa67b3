import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyPair, selfSigned } from './certificates.ts';

/** Called for each read of a mounted certificate. */
export type OnRead = (result: 'read' | 'failed') => void;

/** The certificate of an HTTPS server. */
export interface ServingCertificate extends KeyPair {
  /** Created by us because there are no files. */
  readonly isSelfSigned: boolean;
  /** Calls back with each later valid content of the files; the returned function ends it. */
  follow(onChange: (pair: KeyPair) => void): () => void;
}

/** `tls.crt` and `tls.key` in the folder or, when they are missing, a self-signed certificate for these DNS names. */
export async function servingCertificate(
  dir: string,
  dnsNames: readonly string[],
  onRead: OnRead,
): Promise<ServingCertificate> {
  const mounted = await readPair(dir);
  if (mounted === undefined)
    return { ...(await selfSigned(dnsNames)), isSelfSigned: true, follow: () => () => undefined };
  onRead(belongTogether(mounted) ? 'read' : 'failed');
  if (!belongTogether(mounted)) throw new Error(`tls.crt and tls.key in ${dir} are not a certificate and its key`);
  return { ...mounted, isSelfSigned: false, follow: (onChange) => followPair(dir, mounted, onChange, onRead) };
}

/** undefined when one of the files is missing. */
export async function readPair(dir: string): Promise<KeyPair | undefined> {
  try {
    const [cert, key] = await Promise.all(['tls.crt', 'tls.key'].map((name) => readFile(join(dir, name), 'utf8')));
    return cert === undefined || key === undefined ? undefined : { cert, key };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new Error(`reading tls.crt and tls.key in ${dir}`, { cause: error });
  }
}

/** False also for texts that are no certificate or no key. */
export function belongTogether({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The two files change one after the other: a certificate that does not match the key is not used. */
function followPair(dir: string, first: KeyPair, onChange: (pair: KeyPair) => void, onRead: OnRead): () => void {
  let current = first;
  const look = async (): Promise<void> => {
    const pair = await readPair(dir).catch(() => undefined);
    const isUsable = pair !== undefined && belongTogether(pair);
    onRead(isUsable ? 'read' : 'failed');
    if (!isUsable || (pair.cert === current.cert && pair.key === current.key)) return;
    current = pair;
    onChange(pair);
  };
  const watcher: FSWatcher = watch(dir, () => void look());
  // The folder was deleted: the current certificate stays in use.
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}
