import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlreadyExists } from '../../kube/client.ts';
import { hostPath, nodePath, secretPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { getHost, hostThat, NAMESPACE } from './support/hosts.ts';
import { createKilling, namedHosts } from './support/kill-points/killing.ts';
import type { Operation } from './support/kill-points/play.ts';
import { createRemediations } from './support/kill-points/remediations.ts';
import {
  aCluster,
  aMachine,
  expectGone,
  expectToShow,
  get,
  IMAGE,
  on,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { openOlderCluster, openWorkloadServer, type WorkloadServer } from './support/older-cluster.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE, WITH_SLOTS } from './support/place/quick-fixture.ts';

/**
 * Bridge or workers are killed between any two of their writes about a host, while a machine claims it and it is
 * deployed, is remediated, is undeployed and released, and while it is deleted. Many hosts at once, so that a kill is
 * one for all that are at their points.
 */
const HOSTS = namedHosts('p', { some: 10, all: 22 });
/** Each kill costs a restart, which takes long on a busy machine. */
const LIMIT_MS = 2_400_000;

let lab: TestFixtureLab;
const killing = createKilling(() => lab);
const servers: WorkloadServer[] = [];

beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, ...WITH_SLOTS }, envOf: await killing.openGates() });
  await aGatedCluster('test1', await openWorkloadServer(lab.kube, { passage: killing.passage }));
  // In it, Nodes are deleted instead of tainted.
  await aGatedCluster('older', await openOlderCluster(lab.kube, killing.passage));
});
afterAll(async () => {
  await lab?.stop();
  for (const server of servers) await server.close();
  await killing.close();
});

/** What workers write to its Nodes passes the gate, too. */
async function aGatedCluster(name: string, server: WorkloadServer): Promise<void> {
  servers.push(server);
  await aCluster(lab, name);
  const path = secretPath({ namespace: NAMESPACE, name: `${name}-kubeconfig` });
  await lab.kube.patch(path, { stringData: { value: server.kubeconfig } });
}

const machineOf = (host: string): string => `m-${host}`;

async function namesOf(host: string): Promise<readonly string[]> {
  const found = await getHost(lab, host);
  return [host, machineOf(host), found?.status.provisioning.ID ?? ''];
}

/** It has no machine, no image, and its power is on. */
const isFree = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'free',
    ({ spec, status }) =>
      status.provisioning.state === 'available' &&
      status.poweredOn === (spec['online'] === true) &&
      spec['consumerRef'] === undefined &&
      status.operationalStatus === 'OK',
  );

const hasImage = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'provisioned for its machine',
    ({ spec, status }) =>
      status.provisioning.state === 'provisioned' &&
      status.provisioning.image?.url === IMAGE.url &&
      status.poweredOn &&
      (spec['consumerRef'] as { name?: string } | undefined)?.name === machineOf(host),
  );

async function post(plural: string, root: string, body: object): Promise<void> {
  const path = `${root}/namespaces/${NAMESPACE}/${plural}`;
  await lab.kube.request({ method: 'POST', path, body }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

async function freeHost(host: string): Promise<void> {
  if ((await get(lab, 'metal3Machine', machineOf(host))) !== undefined) await leave(host);
  if ((await getHost(lab, host)) === undefined) {
    const { metadata, ...rest } = fixtureHost(host) as { metadata: object };
    await post('secrets', '/api/v1', fixtureSecret(host));
    await post('baremetalhosts', '/apis/metal3.io/v1alpha1', {
      ...rest,
      metadata: { ...metadata, labels: { for: host } },
    });
  }
  await isFree(host);
}

async function claimedHost(host: string, cluster = 'test1'): Promise<void> {
  const machine = await get(lab, 'metal3Machine', machineOf(host));
  if (machine?.metadata.labels['cluster.x-k8s.io/cluster-name'] !== cluster) {
    await freeHost(host);
    await aMachine(lab, cluster, machineOf(host), { spec: on(host) });
  }
  await hasImage(host);
}

const claim = (host: string): Promise<void> => aMachine(lab, 'test1', machineOf(host), { spec: on(host) });

async function leave(host: string): Promise<void> {
  await askToLeave(host);
  await expectGone(lab, 'metal3Machine', machineOf(host));
  await isFree(host);
}

/** As Cluster API deletes a Machine: first its infrastructure. */
async function askToLeave(host: string): Promise<void> {
  await remove(lab, 'metal3Machine', machineOf(host));
  await remove(lab, 'machine', machineOf(host));
  await lab.kube.request({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/secrets/${machineOf(host)}-boot` });
}

const { runAsNode, begin, succeed, isOn, end } = createRemediations(() => lab, machineOf);

async function nodeOn(host: string, cluster?: string): Promise<void> {
  await claimedHost(host, cluster);
  await runAsNode(host);
}

const PAUSED = 'cluster.x-k8s.io/paused';

/** A remediation at the end of this attempt: a run that begins goes on from its status. */
async function atTheEndOf(host: string, retryCount: number): Promise<void> {
  await nodeOn(host, 'older');
  const name = machineOf(host);
  // Those of an earlier remediation.
  await patch(lab, 'machine', name, { status: { conditions: null } }, '/status');
  await begin(host, { [PAUSED]: '' });
  const id = entityWorkflowId('Metal3Remediation', { namespace: NAMESPACE, name });
  await withTemporal(lab, async ({ workflow }) => {
    const run = workflow.getHandle(id);
    const running = { status: { name: 'RUNNING' } };
    await expect.poll(() => run.describe(), PATIENCE).toMatchObject(running);
    const count = retryCount > 0 && { retryCount };
    const status = { phase: 'Waiting', ...count, lastRemediated: '2026-01-01T00:00:00Z' };
    await patch(lab, 'metal3Remediation', name, { status }, '/status');
    await run.terminate('by the test');
    await expect.poll(() => run.describe(), PATIENCE).toMatchObject(running);
  });
}

const unpause = (host: string): Promise<unknown> =>
  patch(lab, 'metal3Remediation', machineOf(host), { metadata: { annotations: { [PAUSED]: null } } });

/** The second attempt brings the Node back, which its kubelet registers anew; its health check ends the remediation. */
async function remediatedAtLast(host: string): Promise<void> {
  const name = machineOf(host);
  await expectToShow(lab, 'metal3Remediation', name, { status: { phase: 'Waiting', retryCount: 1 } });
  await isOn(host);
  expect(await lab.kube.find(nodePath(name)), `the Node of ${host}`).toBeUndefined();
  await lab.kube.request({
    method: 'POST',
    path: nodePath(),
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name } },
  });
  const condition = { type: 'NodeReady', status: 'True', reason: 'X', message: '', lastTransitionTime: now() };
  await patch(lab, 'machine', name, { status: { conditions: [condition] } }, '/status');
  await expect
    .poll(() => lab.kube.find(nodePath(name)), PATIENCE)
    .toMatchObject({ metadata: { labels: { rack: '7' } } });
  await end(host);
}

/** After the last attempt the Machine is Cluster API's, and no other machine takes the host. */
async function givenUp(host: string): Promise<void> {
  const name = machineOf(host);
  await expectToShow(lab, 'machine', name, { status: { conditions: [{ type: 'OwnerRemediated', status: 'False' }] } });
  await expectToShow(lab, 'metal3Remediation', name, { status: { phase: 'Deleting machine', retryCount: 1 } });
  await hostThat(lab, host, 'unhealthy', ({ metadata }) => UNHEALTHY in (metadata.annotations ?? {}));
  await end(host);
  const path = hostPath({ namespace: NAMESPACE, name: host });
  await lab.kube.patch(path, { metadata: { annotations: { [UNHEALTHY]: null } } });
}

const UNHEALTHY = 'capm3.metal3.io/unhealthy';
const now = (): string => new Date().toISOString();

const OPERATIONS: readonly Operation[] = [
  {
    name: 'claim and deploy',
    prepare: freeHost,
    ask: claim,
    async done(host) {
      await hasImage(host);
      await expect
        .poll(() => get(lab, 'metal3Machine', machineOf(host)), { timeout: 600_000 })
        .toMatchObject({ metadata: { annotations: { 'metal3.io/BareMetalHost': `${NAMESPACE}/${host}` } } });
    },
    requests: { active: 1 },
  },
  {
    name: 'remediate',
    prepare: (host) => nodeOn(host),
    ask: (host) => begin(host),
    done: succeed,
    requests: { off: 1 },
  },
  {
    name: 'undeploy and release',
    prepare: (host) => claimedHost(host),
    ask: askToLeave,
    async done(host) {
      await expectGone(lab, 'metal3Machine', machineOf(host));
      await isFree(host);
    },
    requests: { deleted: 1 },
  },
  {
    name: 'delete',
    prepare: freeHost,
    ask: (host) => lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: host }) }),
    done: (host) => expect.poll(() => getHost(lab, host), { timeout: 600_000 }).toBeUndefined(),
    requests: {},
  },
];

const LATER_REMEDIATION: readonly Operation[] = [
  {
    name: 'remediate a second time',
    prepare: (host) => atTheEndOf(host, 0),
    ask: unpause,
    done: remediatedAtLast,
    requests: { off: 1 },
  },
  { name: 'give up', prepare: (host) => atTheEndOf(host, 1), ask: unpause, done: givenUp, requests: { off: 0 } },
];

test(
  'a host ends as its objects say, and its server is told everything once, whichever write is the last of bridge or workers',
  async () => {
    const { killed } = await killing.play(HOSTS, namesOf, OPERATIONS);
    expect(killed).not.toEqual([]);
  },
  LIMIT_MS,
);

test(
  'a sick host is switched off once for each attempt, is on at the end, and its Node is as it was, whichever write is the last',
  async () => {
    const { killed } = await killing.play(HOSTS, namesOf, LATER_REMEDIATION);
    expect(killed).not.toEqual([]);
  },
  LIMIT_MS,
);
