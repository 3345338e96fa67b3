import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLayout } from '../../test/builders/oci-layout.ts';
import { digestOf, packLayer } from './layer.ts';
import { writeLayout } from './oci-layout.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-layout-'));
  await mkdir(join(folder, 'tree', 'inner'), { recursive: true });
  await writeFile(join(folder, 'tree', 'inner', 'b.txt'), 'second', { mode: 0o600 });
  await writeFile(join(folder, 'tree', 'a.txt'), 'first');
});
afterEach(() => rm(folder, { recursive: true }));

const pack = (...entries: readonly string[]) => packLayer(join(folder, 'tree'), entries, join(folder, 'layer.tar'));
const RUN = { User: '1:1', WorkingDir: '/opt/temper', Env: ['A=1'], ExposedPorts: { '1/tcp': {} }, Cmd: ['node'] };
const BASE = { name: 'docker.io/library/node:1-slim', digest: digestOf('base') };

describe('a layer', () => {
  test('is the same for the same files, whenever and by whomever they were written', async () => {
    const first = await pack('a.txt', 'inner');
    await utimes(join(folder, 'tree', 'a.txt'), 1, 1);
    expect(await pack('a.txt', 'inner')).toEqual(first);
    await writeFile(join(folder, 'tree', 'a.txt'), 'changed');
    expect((await pack('a.txt', 'inner')).diffId).not.toBe(first.diffId);
  });

  test('lies below /opt/temper, and every user can read it', async () => {
    await pack('inner', 'a.txt');
    const { stdout } = await execa('tar', [
      '--list',
      '--verbose',
      '--numeric-owner',
      '--file',
      join(folder, 'layer.tar'),
    ]);
    const rows = stdout.split('\n').map((row) => row.split(/\s+/));
    expect(rows.map(([mode, owner, , , , name]) => [mode, owner, name])).toEqual([
      ['drwxr-xr-x', '0/0', 'opt/temper/inner/'],
      ['-rw-r--r--', '0/0', 'opt/temper/inner/b.txt'],
      ['-rw-r--r--', '0/0', 'opt/temper/a.txt'],
    ]);
  });
});

test('a layout has an image for each architecture, and a bill of materials that refers to it', async () => {
  const layers = [await pack('inner'), await pack('a.txt')];
  const images = (['amd64', 'arm64'] as const).map((architecture) => ({
    architecture,
    layers,
    sbom: `{"${architecture}":1}`,
  }));
  const out = join(folder, 'layout');
  const digest = await writeLayout(out, {
    name: 'temper:1',
    base: BASE,
    run: RUN,
    annotations: { own: 'yes' },
    images,
  });

  const layout = await openLayout(out);
  expect(layout.name).toBe('temper:1');
  expect(layout.digest).toBe(digest);
  expect(layout.images.map(({ platform }) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const { platform, config, annotations, sbom } of layout.images) {
    expect(config).toMatchObject({ architecture: platform.architecture, os: 'linux', config: RUN });
    expect(config.rootfs.diff_ids).toEqual(layers.map(({ diffId }) => diffId));
    expect(annotations).toEqual({
      own: 'yes',
      'org.opencontainers.image.base.name': BASE.name,
      'org.opencontainers.image.base.digest': BASE.digest,
    });
    expect(sbom).toBe(`{"${platform.architecture}":1}`);
  }
  const unpacked = join(folder, 'unpacked');
  await layout.unpack('arm64', unpacked);
  expect(await readFile(join(unpacked, 'opt', 'temper', 'inner', 'b.txt'), 'utf8')).toBe('second');
  expect(await readdir(join(unpacked, 'opt', 'temper'))).toEqual(['a.txt', 'inner']);
  expect((await stat(join(unpacked, 'opt', 'temper', 'a.txt'))).mtimeMs).toBe(0);
});
