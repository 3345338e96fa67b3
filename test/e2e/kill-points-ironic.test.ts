import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPath, secretPath } from '../../kube/paths.ts';
import { createHost, editHost, getHost, hostGone, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { createKilling, namedHosts } from './support/kill-points/killing.ts';
import type { Operation } from './support/kill-points/play.ts';
import { createRemediations } from './support/kill-points/remediations.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import { aCluster, aMachine, get, on, PATIENCE } from './support/machines.ts';
import { machineOf, powerOf } from './support/metal.ts';
import { openWorkloadServer, type WorkloadServer } from './support/older-cluster.ts';
import { joinLab } from './support/place/join.ts';

/**
 * Like `kill-points.test.ts`, on real Ironic: what servers are told is Ironic's record, what their disks have, and how
 * often their power went off.
 */
const HOSTS = namedHosts('host-', { some: 8, all: 12 });

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

async function freeHost(host: string): Promise<void> {
  const found = await getHost(lab, host);
  if (found === undefined) await createHost(lab, indexOf(host));
  else if (found.spec['image'] !== undefined) await editHost(lab, host, { image: null });
  await isFree(host);
}

async function deployedHost(host: string): Promise<void> {
  if ((await getHost(lab, host))?.spec['image'] === undefined) {
    await freeHost(host);
    await editHost(lab, host, { image: lab.endpoints.testImage });
  }
  await hasImage(host);
}

const writes = new Map<string, number>();
const writesOf = async (host: string): Promise<number> => (await machineOf(lab, indexOf(host))).disk.writes;

const OPERATIONS: readonly Operation[] = [
  {
    name: 'deploy',
    async prepare(host) {
      await freeHost(host);
      writes.set(host, await writesOf(host));
    },
    ask: (host) => editHost(lab, host, { image: lab.endpoints.testImage }),
    async done(host) {
      await hasImage(host);
      expect(await writesOf(host), `images written to the disk of ${host}`).toBe((writes.get(host) ?? 0) + 1);
    },
    requests: { active: 1 },
  },
  {
    name: 'undeploy',
    prepare: deployedHost,
    ask: (host) => editHost(lab, host, { image: null }),
    done: isFree,
    requests: { deleted: 1 },
  },
  {
    name: 'delete',
    prepare: freeHost,
    ask: (host) => lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: host }) }),
    done: (host) => hostGone(lab, host),
    requests: {},
  },
];

test('a host ends as its objects say, and Ironic is told everything once, whichever write is the last of bridge or workers', async () => {
  const { killed } = await killing.play(HOSTS, namesOf, OPERATIONS);
  expect(killed).not.toEqual([]);
});

const { runAsNode, begin, succeed } = createRemediations(() => lab, nameOfMachine);

/** Its machine runs as a Node. */
async function sickHost(host: string): Promise<void> {
  const name = nameOfMachine(host);
  if ((await get(lab, 'metal3Machine', name)) === undefined) {
    await freeHost(host);
    await kubectl(lab, ['label', 'bmh', host, `for=${host}`]);
    await aMachine(lab, CLUSTER, name, {
      spec: { ...on(host), image: { ...lab.endpoints.testImage, diskFormat: 'raw' } },
    });
  }
  await hasImage(host);
  await runAsNode(host);
  writes.set(host, await writesOf(host));
  offs.set(host, await offsOf(host));
}

const offs = new Map<string, number>();
const offsOf = async (host: string): Promise<number> => (await machineOf(lab, indexOf(host))).powerOffs;

const REMEDIATION: Operation = {
  name: 'remediate',
  prepare: sickHost,
  ask: (host) => begin(host),
  async done(host) {
    await succeed(host);
    expect((await offsOf(host)) - (offs.get(host) ?? 0), `how often ${host} went off`).toBe(1);
    await expect.poll(() => powerOf(lab, indexOf(host)), PATIENCE).toBe('On');
    expect(await writesOf(host), `images written to the disk of ${host}`).toBe(writes.get(host));
  },
  requests: { off: 1 },
};

test('a sick host goes off once and is on at the end, whichever write of its remediation is the last of bridge or workers', async () => {
  const { killed } = await killing.play(HOSTS, namesOf, [REMEDIATION]);
  expect(killed).not.toEqual([]);
});
