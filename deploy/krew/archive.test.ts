import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../test/builders/krew-manifest.ts';
import { LICENSES } from '../image/licenses.ts';
import { packPlugin } from './archive.ts';

describe('the archive', () => {
  let folder: string;
  let sha256: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'temper-krew-'));
    sha256 = await packPlugin(join(folder, 'plugin.tar.gz'));
    await execa('tar', ['--extract', '--file', 'plugin.tar.gz'], { cwd: folder });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    execa(join(folder, 'kubectl-temper.mjs'), args, {
      cwd: folder,
      reject: false,
      env: { PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`, ...env },
    });

  test('has the checksum and the files of the manifest', async () => {
    const written = createHash('sha256').update(await readFile(join(folder, 'plugin.tar.gz')));
    expect(written.digest('hex')).toBe(sha256);
    const { data } = await readManifest({ sha256 });
    const [{ files, bin } = { files: [], bin: '' }] = data?.spec.platforms ?? [];
    const { stdout: listed } = await execa('tar', ['--list', '--file', 'plugin.tar.gz'], { cwd: folder });
    for (const { from } of files)
      expect(listed.split('\n').some((name) => name.replace(/\/$/, '') === from)).toBe(true);
    expect(files.map(({ from }) => from)).toContain(bin);
    expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License');
    const ofPackages = await readFile(join(folder, LICENSES), 'utf8');
    for (const name of ['commander', 'zod', '@temporalio/client', '@kubernetes/client-node'])
      expect(ofPackages).toMatch(new RegExp(`^# ${name} \\d.*: (?:MIT|Apache-2.0)$`, 'm'));
    expect(ofPackages).toContain('Permission is hereby granted, free of charge');
  });

  test('has a program that needs no packages beside it, and no lab', async () => {
    const help = await run(['help']);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('  waiting ');
    expect(help.stdout).not.toContain('  lab ');
    const unread = await run(['explain', 'host', 'node-1'], { KUBECONFIG: join(folder, 'none') });
    expect([unread.exitCode, unread.stderr]).toEqual([3, expect.stringMatching(/^temper: ENOENT/)]);
    const unsent = await run(['pause', 'host', 'node-1', '--reason', 'r'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect([unsent.exitCode, unsent.stderr]).toEqual([
      3,
      expect.stringMatching(/^temper: connecting to Temporal at 127\.0\.0\.1:1: connect ECONNREFUSED/),
    ]);
  });
});
