import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveClusterApi } from '../e2e/support/kinds.ts';
import { aCluster } from '../e2e/support/machines.ts';
import { HOST_SEEDS } from './causes/host-seeds.ts';
import { CLUSTERS, MACHINE_SEEDS } from './causes/machine-seeds.ts';
import { openScene, type SeededScene } from './causes/scene.ts';
import { startUselessServers } from './causes/servers.ts';
import { TOLD_WITHIN_MS, toldOf } from './causes/told.ts';

/**
 * Whatever keeps a host, a machine or a cluster waiting on a lab with real Ironic that works: each cause is seeded
 * once, and somebody who may read objects alone is told it.
 */
const SEEDS = { ...HOST_SEEDS, ...MACHINE_SEEDS };
const MACHINES = 27;
let folder: string;
let scene: SeededScene;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-causes-'));
  const servers = await startUselessServers(folder);
  process.env['REQUESTS_CA_BUNDLE'] = servers.authorities;
  scene = { ...(await openScene(folder, { machines: MACHINES })), servers };
  await serveClusterApi(scene.lab.kube);
  for (const name of CLUSTERS) await aCluster(scene.lab, name);
});
afterAll(async () => {
  await scene?.close();
  scene?.servers.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

test(`all ${Object.keys(SEEDS).length} causes are told, within five seconds after the usual time of the state`, async () => {
  const told = await Promise.all(
    Object.entries(SEEDS).map(async ([cause, seed]) => {
      const answer = await toldOf(scene.reader, cause, await seed(scene));
      process.stdout.write(`${cause}: told after ${answer.seconds} s: ${answer.causes.join(', ')}\n`);
      return { cause, ...answer };
    }),
  );
  const wrong = told.filter(({ cause, causes, late }) => causes[0] !== cause || late > TOLD_WITHIN_MS);
  expect(wrong).toEqual([]);
});
