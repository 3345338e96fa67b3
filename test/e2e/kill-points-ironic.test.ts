import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPath, secretPath } from '../../kube/paths.ts';
import { createHost, editHost, getHost, hostGone, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { createKilling, namedHosts } from './support/kill-points/killing.ts';
import type { Operation } from './support/kill-points/play.ts';
import { createRemediations } from './support/kill-points/remediations.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import { aCluster, aMachine, expectGone, expectToShow, get, on, PATIENCE, remove } from './support/machines.ts';
import { machineOf, powerOf } from './support/metal.ts';
import { openWorkloadServer, type WorkloadServer } from './support/older-cluster.ts';
import { joinLab } from './support/place/join.ts';

/**
 * Like `kill-points.test.ts`, on real Ironic: what servers are told is Ironic's record, what their disks have, how often
 * they were erased, and how often their power went off.
 */
const HOSTS = namedHosts('host-', { some: 8, all: 12 });
/** Each kill costs a restart, which takes long on a busy machine. */
const LIMIT_MS = 2_400_000;

let lab: TestLab;
let workload: WorkloadServer;
const killing = createKilling(() => lab);

beforeAll(async () => {
  lab = await joinLab({ machines: HOSTS.length, envOf: await killing.openGates() });
  await serveClusterApi(lab.kube);
  await aCluster(lab, CLUSTER);
  // What workers write to its Nodes passes the gate, too.
  workload = await openWorkloadServer(lab.kube, { passage: killing.passage });
  const path = secretPath({ namespace: NAMESPACE, name: `${CLUSTER}-kubeconfig` });
  await lab.kube.patch(path, { stringData: { value: workload.kubeconfig } });
});
afterAll(async () => {
  await lab?.stop();
  await workload?.close();
  await killing.close();
});

const CLUSTER = 'kill-points';
const indexOf = (host: string): number => HOSTS.indexOf(host);
const nameOfMachine = (host: string): string => `points-${host}`;

async function namesOf(host: string): Promise<readonly string[]> {
  const found = await getHost(lab, host);
  return [host, nameOfMachine(host), `${NAMESPACE}~${host}`, found?.status.provisioning.ID ?? ''];
}

const isFree = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'free',
    ({ spec, status: { provisioning, poweredOn, operationalStatus } }) =>
      provisioning.state === 'available' &&
      provisioning.image?.url === '' &&
      spec['consumerRef'] === undefined &&
      poweredOn === (spec['online'] === true) &&
      operationalStatus === 'OK',
  );
const hasImage = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'provisioned',
    ({ status: { provisioning, poweredOn } }) =>
      provisioning.state === 'provisioned' && provisioning.image?.url === lab.endpoints.testImage.url && poweredOn,
  );

/** As Cluster API deletes a Machine: first its infrastructure. */
async function askToLeave(host: string): Promise<void> {
  const name = nameOfMachine(host);
  await remove(lab, 'metal3Machine', name);
  await remove(lab, 'machine', name);
  const path = secretPath({ namespace: NAMESPACE, name: `${name}-boot` });
  await lab.kube.request({ method: 'DELETE', path });
}
async function released(host: string): Promise<void> {
  await expectGone(lab, 'metal3Machine', nameOfMachine(host));
  await isFree(host);
}

/** It has no machine and no image. */
async function freeHost(host: string): Promise<void> {
  if ((await get(lab, 'metal3Machine', nameOfMachine(host))) !== undefined)
    await askToLeave(host).then(() => released(host));
  const found = await getHost(lab, host);
  if (found === undefined) {
    await createHost(lab, indexOf(host));
    await kubectl(lab, ['label', 'bmh', host, `for=${host}`]);
  } else if (found.spec['image'] !== undefined) await editHost(lab, host, { image: null });
  await isFree(host);
}

/** Without a machine. */
async function deployedHost(host: string): Promise<void> {
  const found = await getHost(lab, host);
  if (found?.spec['image'] === undefined || found.spec['consumerRef'] !== undefined) {
    await freeHost(host);
    await editHost(lab, host, { image: lab.endpoints.testImage });
  }
  await hasImage(host);
}

const claim = (host: string): Promise<void> =>
  aMachine(lab, CLUSTER, nameOfMachine(host), {
    spec: { ...on(host), image: { ...lab.endpoints.testImage, diskFormat: 'raw' } },
  });
async function claimedHost(host: string): Promise<void> {
  if ((await get(lab, 'metal3Machine', nameOfMachine(host))) === undefined) {
    await freeHost(host);
    await claim(host);
  }
  await hasImage(host);
}

type Disk = Awaited<ReturnType<typeof machineOf>>['disk'];
const diskOf = async (host: string): Promise<Disk> => (await machineOf(lab, indexOf(host))).disk;
/** The disks as they were before the operation. */
const before = new Map<string, Disk>();
/** Notes what is on the disk of the prepared host. */
const noted =
  (prepare: (host: string) => Promise<void>) =>
  async (host: string): Promise<void> => {
    await prepare(host);
    before.set(host, await diskOf(host));
  };

/** The disk was not written; it was erased so often, and is empty then. */
async function expectErased(host: string, { erasures }: Pick<Disk, 'erasures'>): Promise<void> {
  const was = before.get(host) ?? { writes: 0, erasures: 0, image: null };
  const disk = await diskOf(host);
  const changes = { writes: disk.writes - was.writes, erasures: disk.erasures - was.erasures };
  expect(changes, `how often the disk of ${host} was written and erased`).toEqual({ writes: 0, erasures });
  if (erasures > 0) expect(disk.image, `the image of ${host}`).toBeNull();
  else expect(disk.image, `the image of ${host}`).toEqual(was.image);
}

/** Ironic erases a server that was not made available before, once, before the image is written. */
async function expectDeployed(host: string): Promise<void> {
  const was = before.get(host) ?? { writes: 0, erasures: 0 };
  const { writes, erasures, image } = await diskOf(host);
  expect(writes - was.writes, `how often the disk of ${host} was written`).toBe(1);
  expect(erasures - was.erasures, `how often the disk of ${host} was erased`).toBeLessThanOrEqual(1);
  expect(image).toMatchObject({ digest: lab.endpoints.testImage.checksum });
}

const askToDelete = (host: string): Promise<unknown> =>
  lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: host }) });

const OPERATIONS: readonly Operation[] = [
  {
    name: 'deploy',
    prepare: noted(freeHost),
    ask: (host) => editHost(lab, host, { image: lab.endpoints.testImage }),
    async done(host) {
      await hasImage(host);
      await expectDeployed(host);
    },
    requests: { active: 1 },
  },
  {
    name: 'undeploy',
    prepare: noted(deployedHost),
    ask: (host) => editHost(lab, host, { image: null }),
    async done(host) {
      await isFree(host);
      await expectErased(host, { erasures: 1 });
    },
    requests: { deleted: 1 },
  },
  {
    name: 'delete with an image',
    prepare: noted(deployedHost),
    ask: askToDelete,
    async done(host) {
      await hostGone(lab, host);
      await expectErased(host, { erasures: 1 });
    },
    requests: { deleted: 1 },
  },
  {
    name: 'delete',
    prepare: noted(freeHost),
    ask: askToDelete,
    async done(host) {
      await hostGone(lab, host);
      await expectErased(host, { erasures: 0 });
    },
    requests: {},
  },
];

const OPERATIONS_OF_MACHINES: readonly Operation[] = [
  {
    name: 'claim and deploy',
    prepare: noted(freeHost),
    ask: claim,
    async done(host) {
      await hasImage(host);
      const annotations = { 'metal3.io/BareMetalHost': `${NAMESPACE}/${host}` };
      await expectToShow(lab, 'metal3Machine', nameOfMachine(host), { metadata: { annotations } });
      const consumerRef = { kind: 'Metal3Machine', name: nameOfMachine(host) };
      expect((await getHost(lab, host))?.spec).toMatchObject({ consumerRef });
      await expectDeployed(host);
    },
    requests: { active: 1 },
  },
  {
    name: 'undeploy and release',
    prepare: noted(claimedHost),
    ask: askToLeave,
    async done(host) {
      await released(host);
      await expectErased(host, { erasures: 1 });
    },
    requests: { deleted: 1 },
  },
];

test(
  'a host ends as its objects say, and Ironic is told everything once, whichever write is the last of bridge or workers',
  async () => {
    const { killed } = await killing.play(HOSTS, namesOf, OPERATIONS);
    expect(killed).not.toEqual([]);
  },
  LIMIT_MS,
);

test(
  'a host that a machine takes and releases is deployed once and erased once, whichever write is the last of bridge or workers',
  async () => {
    const { killed } = await killing.play(HOSTS, namesOf, OPERATIONS_OF_MACHINES);
    expect(killed).not.toEqual([]);
  },
  LIMIT_MS,
);

const { runAsNode, begin, succeed } = createRemediations(() => lab, nameOfMachine);

/** Its machine runs as a Node. */
async function sickHost(host: string): Promise<void> {
  await claimedHost(host);
  await runAsNode(host);
  offs.set(host, await offsOf(host));
}

const offs = new Map<string, number>();
const offsOf = async (host: string): Promise<number> => (await machineOf(lab, indexOf(host))).powerOffs;

const REMEDIATION: Operation = {
  name: 'remediate',
  prepare: noted(sickHost),
  ask: (host) => begin(host),
  async done(host) {
    await succeed(host);
    expect((await offsOf(host)) - (offs.get(host) ?? 0), `how often ${host} went off`).toBe(1);
    await expect.poll(() => powerOf(lab, indexOf(host)), PATIENCE).toBe('On');
    await expectErased(host, { erasures: 0 });
  },
  requests: { off: 1 },
};

test('a sick host goes off once and is on at the end, whichever write of its remediation is the last of bridge or workers', async () => {
  const { killed } = await killing.play(HOSTS, namesOf, [REMEDIATION]);
  expect(killed).not.toEqual([]);
});
