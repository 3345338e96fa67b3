import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlreadyExists } from '../../kube/client.ts';
import { hostPath, nodePath } from '../../kube/paths.ts';
import { fixtureHost, fixtureSecret, type TestFixtureLab } from './support/fixture.ts';
import { getHost, hostThat, NAMESPACE } from './support/hosts.ts';
import { createKilling, namedHosts } from './support/kill-points/killing.ts';
import type { Operation } from './support/kill-points/play.ts';
import {
  aCluster,
  aMachine,
  aNode,
  create,
  expectGone,
  expectToShow,
  get,
  IMAGE,
  on,
  ownedBy,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { joinFixtureLab, QUICK_FIXTURE } from './support/place/join.ts';

/**
 * Bridge or workers are killed between any two of their writes about a host, while a machine claims it and it is
 * deployed, is remediated, is undeployed and released, and while it is deleted. Many hosts at once, so that a kill is one for all that
 * are at their points.
 */
const HOSTS = namedHosts('p', { some: 10, all: 22 });

let lab: TestFixtureLab;
const killing = createKilling(() => lab);

beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE, envOf: await killing.openGates() });
  await aCluster(lab, 'test1');
});
afterAll(async () => {
  await lab?.stop();
  await killing.close();
});

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

async function claimedHost(host: string): Promise<void> {
  if ((await get(lab, 'metal3Machine', machineOf(host))) === undefined) {
    await freeHost(host);
    await claim(host);
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

/** As a MachineHealthCheck has it remediated, and removes the Metal3Remediation when its Node is back. */
async function remediated(host: string): Promise<void> {
  const name = machineOf(host);
  await expectToShow(lab, 'metal3Remediation', name, { status: { phase: 'Waiting' } });
  await isOnAndFreeOfAnnotations(host);
  await expect
    .poll(async () => (await lab.kube.find(nodePath(name))) as object, PATIENCE)
    .not.toMatchObject({
      spec: { taints: expect.arrayContaining([expect.objectContaining(OUT_OF_SERVICE)]) as unknown },
    });
  await remove(lab, 'metal3Remediation', name);
  await expectGone(lab, 'metal3Remediation', name);
  await isOnAndFreeOfAnnotations(host);
  await lab.kube.request({ method: 'DELETE', path: nodePath(name) });
}

const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service' };

const isOnAndFreeOfAnnotations = (host: string): Promise<unknown> =>
  hostThat(
    lab,
    host,
    'on again',
    ({ metadata, status }) =>
      status.poweredOn && !Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith('reboot.metal3.io')),
  );

/** Its machine runs as a Node. */
async function nodeOn(host: string): Promise<void> {
  await claimedHost(host);
  const name = machineOf(host);
  await aNode(lab, name, { 'metal3.io/uuid': (await getHost(lab, host))?.metadata.uid ?? '' });
  await patch(lab, 'machine', name, { status: { nodeRef: { name } } }, '/status');
  await expectToShow(lab, 'metal3Machine', name, { status: { initialization: { provisioned: true } } });
}

async function remediate(host: string): Promise<void> {
  const name = machineOf(host);
  const owner = await get(lab, 'machine', name);
  await create(lab, 'metal3Remediation', name, {
    metadata: { ownerReferences: owner === undefined ? [] : [ownedBy('machine', owner)] },
    spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 3_600 } },
  });
}

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
    prepare: nodeOn,
    ask: remediate,
    done: remediated,
    requests: { off: 1 },
  },
  {
    name: 'undeploy and release',
    prepare: claimedHost,
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

test('a host ends as its objects say, and its server is told everything once, whichever write is the last of bridge or workers', async () => {
  expect(await killing.play(HOSTS, namesOf, OPERATIONS)).not.toEqual([]);
});
