import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretPath } from '../../kube/paths.ts';
import { CAPACITY_WORKFLOW_ID, capacityView } from '../../workflows/capacity/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { hostIn, NAMESPACE } from './support/hosts.ts';
import { type Kept, keptBy } from './support/kept.ts';
import { aCluster, aHostWithMachine, create, type KindName, list, PATIENCE, remove } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE, WITH_SLOTS } from './support/place/quick-fixture.ts';

/**
 * Hosts, machines, data claims and data that are made and deleted: 24 in `npm test`, 2,000 in `npm run test:nightly`.
 */
const OBJECTS = Number(process.env['TEMPER_KEPT_OBJECTS'] ?? 24);
/** A host with its machine, the machine's data claim, and the data. */
const OBJECTS_PER_HOST = 4;
const HOSTS_PER_BURST = 25;
const HOSTS = OBJECTS / OBJECTS_PER_HOST;
const isAtNight = OBJECTS >= 2_000;
/** What is kept for some minutes is waited for at night. */
const PATIENT = { timeout: PATIENCE.timeout * (isAtNight ? 2 : 1), interval: 1_000 };
/** Above the sum of what is waited for at night, so that a step without an end is the one that is named. */
const LIMIT_AT_NIGHT_MS = 2 * 60 * 60 * 1_000;

/** Kept for some minutes on purpose. The test waits for their end at night only; the unit tests of each do always. */
const KEPT_FOR_MINUTES = [
  'bridge closed_runs',
  'bridge measured_hosts',
  'bridge workload_connections',
  'workers workload_connections',
];

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, ...WITH_SLOTS } });
});
afterAll(() => lab?.stop());

const each = async (names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> => {
  const queue = new PQueue({ concurrency: 10 });
  await queue.addAll(names.map((name) => () => work(name)));
};

async function removeAll(name: string): Promise<void> {
  await remove(lab, 'metal3Machine', name);
  await remove(lab, 'machine', name);
  await remove(lab, 'host', name);
  for (const secret of ['boot', 'bmc'])
    await lab.kube.request({ method: 'DELETE', path: secretPath({ namespace: NAMESPACE, name: `${name}-${secret}` }) });
}

const countOf = async (kind: KindName): Promise<number> => (await list(lab, kind)).length;
const DELETED = ['host', 'metal3Machine', 'metal3DataClaim', 'metal3Data'] as const;

/**
 * Makes hosts with machines, and deletes them when all machines have their hosts and the first of these is provisioned:
 * until then no slot of Ironic need have been asked for.
 */
async function burst(names: readonly string[]): Promise<void> {
  await each(names, (name) => aHostWithMachine(lab, 'test1', name, { dataTemplate: { name: 'template' } }));
  const claimed = async (): Promise<number> =>
    (await list(lab, 'host')).filter(({ spec }) => spec['consumerRef'] !== undefined).length;
  await expect.poll(claimed, PATIENT).toBe(names.length);
  await expect.poll(() => countOf('metal3Data'), PATIENT).toBe(names.length);
  for (const first of names.slice(0, 1)) await hostIn(lab, first, 'provisioned', PATIENT.timeout);
  await each(names, removeAll);
  for (const kind of DELETED) await expect.poll(() => countOf(kind), PATIENT).toBe(0);
}

const withoutMinutes = (kept: Kept): Kept =>
  Object.fromEntries(Object.entries(kept).filter(([what]) => isAtNight || !KEPT_FOR_MINUTES.includes(what)));

const limit = isAtNight ? { timeout: LIMIT_AT_NIGHT_MS } : {};
test(
  `of ${OBJECTS} objects that were made and deleted, bridge, workers and the slots of Ironic keep nothing`,
  limit,
  async () => {
    const before = await keptBy(lab);
    await aCluster(lab, 'test1');
    await create(lab, 'metal3DataTemplate', 'template', { spec: { clusterName: 'test1' } });
    const names = Array.from({ length: HOSTS }, (_, index) => `n${index}`);
    for (let from = 0; from < HOSTS; from += HOSTS_PER_BURST) await burst(names.slice(from, from + HOSTS_PER_BURST));
    // Such a test would also pass if nothing was measured.
    expect((await keptBy(lab))['bridge measured_hosts']).toBe(HOSTS);

    for (const kind of ['metal3DataTemplate', 'metal3Cluster', 'cluster'] as const)
      await remove(lab, kind, kind === 'metal3DataTemplate' ? 'template' : 'test1');
    await lab.kube.request({
      method: 'DELETE',
      path: secretPath({ namespace: NAMESPACE, name: 'test1-kubeconfig' }),
    });
    await expect.poll(async () => withoutMinutes(await keptBy(lab)), PATIENT).toEqual(withoutMinutes(before));
    await withTemporal(lab, async (client) => {
      const capacity = client.workflow.getHandle(CAPACITY_WORKFLOW_ID);
      await expect.poll(() => capacity.query(capacityView), PATIENT).toMatchObject({ holders: [], queue: [] });
    });
  },
);
