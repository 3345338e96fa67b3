import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inRepository, readCompose } from '../builders/compose-file.ts';
import { sharedControlPlane } from './control-plane.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-compose-'));
  await symlink(inject('temporalCli'), join(folder, 'temporal'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the namespace of Compose is created once, at an address that is written as in docker-compose.yml', async () => {
  const { environment = {} } = readCompose().services['temporal-namespace'] ?? {};
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  const written = environment['TEMPORAL_ADDRESS'] ?? '';
  expect(written).toMatch(/temporal:7233$/);
  const env = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    HOME: folder,
    TEMPORAL_ADDRESS: written.replace('temporal:7233', temporalAddress),
    TEMPORAL_NAMESPACE: `${temporalNamespace}-made`,
  };
  const run = () => execa('sh', [inRepository('deploy/temporal/namespace.sh')], { env, extendEnv: false, all: true });
  expect((await run()).all).toMatch(/registered/i);
  expect((await run()).all).not.toMatch(/registered successfully/i);
});
