import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { packPlugin } from './archive.ts';
import { type PluginRelease, pluginManifest } from './manifest.ts';

/** What krew refuses is refused here too. */
const text = z.string().min(1);
const expression = z.strictObject({
  key: z.enum(['os', 'arch']),
  operator: z.literal('In'),
  values: z.array(text).min(1),
});
const platform = z.strictObject({
  uri: z.url({ protocol: /^https?$/ }),
  sha256: z.string().regex(/^[a-f0-9]{64}$/),
  selector: z.strictObject({ matchExpressions: z.array(expression).min(1) }),
  files: z.array(z.strictObject({ from: text, to: text })).min(1),
  bin: text.refine((path) => !path.startsWith('/') && !path.split('/').includes('..')),
});
const manifestOfKrew = z.strictObject({
  apiVersion: z.literal('krew.googlecontainertools.github.com/v1alpha2'),
  kind: z.literal('Plugin'),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/) }),
  spec: z.strictObject({
    version: z.string().regex(/^v(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[\dA-Za-z.-]+)?(\+[\dA-Za-z.-]+)?$/),
    homepage: z.url().optional(),
    // Krew asks for at most 50 characters, without the words kubectl and plugin.
    shortDescription: text.max(50).regex(/^(?!.*(kubectl|plugin))[^\r\n]*[^.\r\n]$/i),
    description: text,
    caveats: text,
    platforms: z.array(platform).min(1),
  }),
});

const RELEASE: PluginRelease = {
  version: 'v1.14.99',
  uri: 'https://downloads.example.com/temper/v1.14.99/kubectl-temper.tar.gz',
  sha256: 'a'.repeat(64),
};
const manifest = async (change: Partial<PluginRelease> = {}) =>
  manifestOfKrew.safeParse(parse(await pluginManifest({ ...RELEASE, ...change })));

describe('the manifest', () => {
  test('is one that krew takes, with what is released', async () => {
    const { data, error } = await manifest();
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ metadata: { name: 'temper' }, spec: { version: RELEASE.version } });
    const [only] = data?.spec.platforms ?? [];
    expect(only).toMatchObject({ uri: RELEASE.uri, sha256: RELEASE.sha256 });
  });

  test('has one archive for each operating system and architecture', async () => {
    const { data } = await manifest();
    const selected = (data?.spec.platforms ?? []).flatMap(({ selector: { matchExpressions: found } }) => {
      const values = (key: string) => found.find((each) => each.key === key)?.values ?? [];
      return values('os').flatMap((os) => values('arch').map((arch) => `${os}/${arch}`));
    });
    expect(selected.toSorted()).toEqual(['darwin/amd64', 'darwin/arm64', 'linux/amd64', 'linux/arm64']);
  });

  test.each([{ version: '1.14.99' }, { version: 'v1.14' }, { uri: 'kubectl-temper.tar.gz' }, { sha256: 'A' }])(
    'is refused with %j',
    async (change) => {
      expect((await manifest(change)).success).toBe(false);
    },
  );
});

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
    const { data } = await manifest({ sha256 });
    const [{ files, bin } = { files: [], bin: '' }] = data?.spec.platforms ?? [];
    const { stdout: listed } = await execa('tar', ['--list', '--file', 'plugin.tar.gz'], { cwd: folder });
    for (const { from } of files)
      expect(listed.split('\n').some((name) => name.replace(/\/$/, '') === from)).toBe(true);
    expect(files.map(({ from }) => from)).toContain(bin);
    expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License');
  });

  test('has a program that needs no packages beside it, and no lab', async () => {
    const help = await run(['help']);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('  watch ');
    expect(help.stdout).not.toContain('  lab ');
    const unread = await run(['explain', 'host', 'node-1'], { KUBECONFIG: join(folder, 'none') });
    expect([unread.exitCode, unread.stderr]).toEqual([3, expect.stringMatching(/^temper: ENOENT/)]);
    const unsent = await run(['pause', 'host', 'node-1', '--reason', 'r'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect([unsent.exitCode, unsent.stderr]).toEqual([3, expect.stringMatching(/^temper: Failed to connect/)]);
  });
});
