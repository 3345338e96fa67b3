import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { LICENSES } from '../image/licenses.ts';
import { bundle } from '../image/programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const PROGRAM = 'kubectl-temper.mjs';
/** Arguments of GNU tar, with which an archive depends neither on time nor on the machine. */
const REPRODUCIBLE: readonly string[] = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go=rX,a+X',
  '--format=posix',
  '--pax-option=delete=atime,delete=ctime',
];

/**
 * Writes the plugin into a folder: its program with all packages that it uses, loaded in parts. It needs Node alone.
 */
export async function bundlePlugin(folder: string): Promise<void> {
  const programs = { [basename(PROGRAM, '.mjs')]: 'cli/plugin.ts' };
  await bundle({ programs, folder, extension: 'mjs', chunks: 'chunks', firstLine: '#!/usr/bin/env node' });
  await chmod(join(folder, PROGRAM), 0o755);
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Writes the archive that krew downloads, the same for the same sources; needs GNU tar. Returns its SHA-256. */
export async function packPlugin(archive: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-plugin-'));
  try {
    const files = join(folder, 'files');
    await bundlePlugin(files);
    const tar = join(folder, 'plugin.tar');
    await execa('tar', [
      '--create',
      '--file',
      tar,
      ...REPRODUCIBLE,
      '--directory',
      files,
      PROGRAM,
      'chunks',
      'LICENSE',
      LICENSES,
    ]);
    const compressed = gzipSync(await readFile(tar));
    await mkdir(dirname(archive), { recursive: true });
    await writeFile(archive, compressed);
    return createHash('sha256').update(compressed).digest('hex');
  } finally {
    await rm(folder, { recursive: true });
  }
}
