import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foreignModules } from './native-modules.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-native-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The first bytes of a library for Linux: 64 bits, little-endian, for this kind of CPU. */
const library = (machine: number): Buffer =>
  Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), Buffer.alloc(8), Buffer.from([3, 0, machine, 0])]);

test('native modules of another architecture are found, however deep they lie', async () => {
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'a/b/amd64.node'), library(0x3e));
  await writeFile(join(folder, 'arm64.node'), library(0xb7));
  await writeFile(join(folder, 'empty.node'), '');
  await writeFile(join(folder, 'empty.js'), '');
  expect((await foreignModules(folder, 'amd64')).toSorted()).toEqual(['arm64.node', 'empty.node']);
  expect((await foreignModules(folder, 'arm64')).toSorted()).toEqual(['a/b/amd64.node', 'empty.node']);
});
