import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';

/**
 * A layer of an image: files below `/opt/temper`, owned by root, with nothing in it that depends on time or machine.
 */
export interface Layer {
  readonly compressed: Buffer;
  /** Digest of the archive before its compression, by which an image names its layers. */
  readonly diffId: string;
}

export const PREFIX = 'opt/temper';

export const digestOf = (content: Buffer | string): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Arguments of GNU tar, with which an archive depends neither on time nor on the machine. */
export const REPRODUCIBLE: readonly string[] = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go=rX,a+X',
  '--format=posix',
  '--pax-option=delete=atime,delete=ctime',
];

/** Packs entries of a folder; needs GNU tar. `archive` is a file to write, larger than a pipe should buffer. */
export async function packLayer(folder: string, entries: readonly string[], archive: string): Promise<Layer> {
  const names = `--transform=s,^,${PREFIX}/,SH`;
  await execa('tar', ['--create', '--file', archive, ...REPRODUCIBLE, names, '--directory', folder, ...entries]);
  const content = await readFile(archive);
  return { compressed: gzipSync(content), diffId: digestOf(content) };
}
