import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveClusterApi } from '../e2e/support/kinds.ts';
import { aCluster } from '../e2e/support/machines.ts';
import { HOST_SEEDS } from './causes/host-seeds.ts';
import { CLUSTERS, MACHINE_SEEDS } from './causes/machine-seeds.ts';
import { openScene, type Seed, type SeededScene } from './causes/scene.ts';
import { startUselessServers } from './causes/servers.ts';
import { TOLD_WITHIN_MS, toldOf } from './causes/told.ts';

/**
 * Whatever keeps a host, a machine or a cluster waiting on a lab with real Ironic that works: each cause is seeded
 * once, and somebody who may read objects alone is told it.
 */
const COUNT = Object.keys({ ...HOST_SEEDS, ...MACHINE_SEEDS }).length;
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

async function told([cause, seed]: readonly [string, Seed]) {
  const answer = await toldOf(scene.reader, cause, await seed(scene));
  const { seconds, late, causes } = answer;
  process.stdout.write(`${cause}: told after ${seconds} s, ${late} ms late: ${causes.join(', ')}\n`);
  return { cause, ...answer };
}

/** One after the other: what a machine waits for has no usual time, so a busy computer would make it late. */
async function toldOfMachines() {
  const all: Awaited<ReturnType<typeof told>>[] = [];
  for (const seeded of Object.entries(MACHINE_SEEDS)) all.push(await told(seeded));
  return all;
}

test(`all ${COUNT} causes are told, within five seconds after the usual time of the state, or after they are shown`, async () => {
  const [hosts, machines] = await Promise.all([Promise.all(Object.entries(HOST_SEEDS).map(told)), toldOfMachines()]);
  const wrong = [...hosts, ...machines].filter(
    ({ cause, causes, late }) => causes[0] !== cause || late > TOLD_WITHIN_MS,
  );
  expect(wrong).toEqual([]);
});
