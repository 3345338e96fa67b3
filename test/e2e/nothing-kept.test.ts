import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCKS } from '../../domain/lock/policy.ts';
import { secretPath } from '../../kube/paths.ts';
import { lockView } from '../../workflows/lock/messages.ts';
import { fixtureHost, fixtureSecret, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, hostIn, NAMESPACE } from './support/hosts.ts';
import { type Kept, keptBy } from './support/kept.ts';
import { joinMachineApiLab, specFor } from './support/machine-api.ts';
import {
  aCluster,
  aHostWithMachine,
  create,
  get,
  type KindName,
  list,
  ownedBy,
  PATIENCE,
  remove,
} from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE, WITH_SLOTS } from './support/place/quick-fixture.ts';

/**
 * Hosts, machines, remediations, and data with addresses that are made and deleted: 14 when the file is run alone; 1,998
 * in `npm run test:nightly`, also of the Machine API, for which the bridge keeps the Nodes that other files make.
 */
const OBJECTS = Number(process.env['TEMPER_KEPT_OBJECTS'] ?? 14);
const isAtNight = OBJECTS >= 1_000;
/**
 * A host with a Metal3Machine, its remediation, its claim for data, the data, the claim for an address and the address;
 * at night also a host with a Machine of the Machine API.
 */
const OBJECTS_PER_SET = isAtNight ? 9 : 7;
const SETS = OBJECTS / OBJECTS_PER_SET;
const SETS_PER_BURST = 12;
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
  lab = await (isAtNight
    ? joinMachineApiLab({ MACHINE_API: 'all', ...WITH_SLOTS })
    : joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, ...WITH_SLOTS } }));
});
afterAll(() => lab?.stop());

const each = async <T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> => {
  const queue = new PQueue({ concurrency: 10 });
  await queue.addAll(all.map((one) => () => work(one)));
};

/** Names of a host with its Metal3Machine, and of a host with its Machine of the Machine API, at night. */
interface MadeSet {
  readonly clusterApi: string;
  readonly machineApi: readonly string[];
}

const hostsOf = ({ clusterApi, machineApi }: MadeSet): readonly string[] => [clusterApi, ...machineApi];

async function make({ clusterApi, machineApi }: MadeSet): Promise<void> {
  await aHostWithMachine(lab, 'test1', clusterApi, { dataTemplate: { name: 'template' } });
  const owner = await get(lab, 'machine', clusterApi);
  await create(lab, 'metal3Remediation', clusterApi, {
    metadata: { ownerReferences: owner === undefined ? [] : [ownedBy('machine', owner)] },
    spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 600 } },
  });
  for (const name of machineApi) {
    const { metadata, ...host } = fixtureHost(name, { inspectionMode: 'disabled' }) as { metadata: object };
    await apply(lab, fixtureSecret(name), { ...host, metadata: { ...metadata, labels: { for: name } } });
    await create(lab, 'openShiftMachine', name, { spec: specFor(name, { userData: {} }) });
  }
}

const removeSecret = (name: string): Promise<unknown> =>
  lab.kube.request({ method: 'DELETE', path: secretPath({ namespace: NAMESPACE, name }) });

async function removeAll(made: MadeSet): Promise<void> {
  const { clusterApi, machineApi } = made;
  for (const kind of ['metal3Remediation', 'metal3Machine', 'machine'] as const) await remove(lab, kind, clusterApi);
  for (const name of machineApi) await remove(lab, 'openShiftMachine', name);
  for (const name of hostsOf(made)) {
    await remove(lab, 'host', name);
    await removeSecret(`${name}-bmc`);
  }
  await removeSecret(`${clusterApi}-boot`);
}

const countOf = async (kind: KindName): Promise<number> => (await list(lab, kind)).length;
const DELETED = [
  'host',
  'metal3Machine',
  'metal3Remediation',
  'metal3DataClaim',
  'metal3Data',
  'ipClaim',
  'ipAddress',
  ...(isAtNight ? (['openShiftMachine'] as const) : []),
] as const;

/** Those of the hosts without series of their own in the metrics of the bridge. */
async function notMeasured(hosts: readonly string[]): Promise<readonly string[]> {
  const metrics = await (await fetch(lab.endpoints.bridgeMetrics ?? '')).text();
  return hosts.filter((name) => !metrics.includes(`host="${name}"`));
}

/**
 * Makes hosts with machines, and deletes them when all machines have their hosts and the first of these is provisioned:
 * until then no slot of Ironic need have been asked for.
 */
async function burst(sets: readonly MadeSet[]): Promise<void> {
  await each(sets, make);
  const claimed = async (): Promise<number> =>
    (await list(lab, 'host')).filter(({ spec }) => spec['consumerRef'] !== undefined).length;
  await expect.poll(claimed, PATIENT).toBe(sets.flatMap(hostsOf).length);
  for (const kind of ['metal3Data', 'ipAddress'] as const)
    await expect.poll(() => countOf(kind), PATIENT).toBe(sets.length);
  for (const host of sets.slice(0, 1).flatMap(hostsOf)) await hostIn(lab, host, 'provisioned', PATIENT.timeout);
  // Such a test would also pass if nothing was measured. Looked at here, because ten minutes after its deletion a host is
  // not measured any more.
  const hosts = sets.flatMap(hostsOf);
  await expect.poll(() => notMeasured(hosts), PATIENT).toEqual([]);
  expect((await keptBy(lab))['bridge measured_hosts']).toBeGreaterThanOrEqual(hosts.length);
  await each(sets, removeAll);
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
    await create(lab, 'ipPool', 'pool', {
      spec: { namePrefix: 'pool', prefix: 24, pools: [{ start: '192.0.2.1', end: '192.0.2.99' }] },
    });
    const metaData = { ipAddressesFromPool: [{ key: 'address', name: 'pool' }] };
    await create(lab, 'metal3DataTemplate', 'template', { spec: { clusterName: 'test1', metaData } });
    const sets = Array.from({ length: SETS }, (_, at) => ({
      clusterApi: `n${at}`,
      machineApi: isAtNight ? [`o${at}`] : [],
    }));
    for (let from = 0; from < SETS; from += SETS_PER_BURST) await burst(sets.slice(from, from + SETS_PER_BURST));

    await remove(lab, 'metal3DataTemplate', 'template');
    await remove(lab, 'ipPool', 'pool');
    for (const kind of ['metal3Cluster', 'cluster'] as const) await remove(lab, kind, 'test1');
    await removeSecret('test1-kubeconfig');
    await expect.poll(async () => withoutMinutes(await keptBy(lab)), PATIENT).toEqual(withoutMinutes(before));
    await withTemporal(lab, async (client) => {
      const capacity = client.workflow.getHandle(LOCKS.slots.workflowId);
      await expect.poll(() => capacity.query(lockView), PATIENT).toMatchObject({ holders: [], queue: [] });
    });
  },
);
