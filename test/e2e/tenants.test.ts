import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { messageOf } from '../../domain/message-of.ts';
import { collectionPath, hostPath, objectPath, secretPath } from '../../kube/paths.ts';
import { type AuditedRequest, auditedRequests, auditLogOf } from '../../lab/control-plane/audit.ts';
import { claim, hostWorkflowId, release } from '../../workflows/messages.ts';
import { kubeconfigOf, ownPlaces, placesOf } from './support/canaries.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { failuresOf, withTemporal } from './support/histories.ts';
import { apply, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import * as metal from './support/machines.ts';
import { FREE, furnishNeighbour, NEIGHBOUR, POOL, THEIR_ADDRESSES, USED } from './support/neighbour.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/**
 * Two tenants. The one in the namespace of this file, where no webhook refuses anything, tries to reach what is in the
 * namespace `neighbour`. Whether bridge or workers have touched that, the audit log of the API server says.
 */
const LOOKED_AT = ['baremetalhosts', 'metal3datatemplates', 'ippools'];
const CLUSTER = 'test1';

let lab: TestFixtureLab;
/** The neighbour's hosts before the tries. */
let before: ReadonlyMap<string, Host>;
/** The neighbour's pool, claims and addresses before the tries. */
let addressesBefore: readonly unknown[];
let began: string;

const neighboursHost = async (name: string): Promise<Host> =>
  (await lab.kube.request({ path: hostPath({ namespace: NEIGHBOUR, name }) })) as Host;
const neighboursAddresses = (): Promise<readonly unknown[]> =>
  Promise.all(
    (['ipPool', 'ipClaim', 'ipAddress'] as const).map(async (kind) => {
      const found = await lab.kube.request({ path: collectionPath(metal.KINDS[kind], NEIGHBOUR) });
      return (found as { readonly items: readonly unknown[] }).items;
    }),
  );

beforeAll(async () => {
  lab = await joinFixtureLab({
    temperEnv: { ...QUICK_FIXTURE, LOG_LEVEL: 'trace' },
    namespaces: [NAMESPACE, NEIGHBOUR],
    skipsAdmission: true,
  });
  await furnishNeighbour(lab, CLUSTER);
  await metal.aCluster(lab, CLUSTER);
  // The neighbour has a Secret of this name.
  await kubectl(lab, ['delete', 'secret', `${CLUSTER}-kubeconfig`, '--namespace', NAMESPACE]);
  before = new Map(
    await Promise.all([FREE, USED].map(async ({ name }) => [name, await neighboursHost(name)] as const)),
  );
  addressesBefore = await neighboursAddresses();
  began = new Date().toISOString();
});
afterAll(() => lab?.stop());

/** A host of this namespace with its Secret, and what it shows in the end. */
async function tryHost(name: string, spec: Partial<BareMetalHostSpec>, annotations: object = {}): Promise<void> {
  await apply(lab, fixtureSecret(name), fixtureHost(name, spec, annotations));
}
const errorOf = (name: string) => async (): Promise<string | undefined> =>
  (await getHost(lab, name))?.status.errorMessage;
const bmc = (credentialsName: string) => ({
  bmc: { address: 'redfish://192.168.222.1/redfish/v1/Systems/1', credentialsName },
});
const elsewhere = (name: string) => ({ name, namespace: NEIGHBOUR });

describe('a tenant who writes into a BareMetalHost', () => {
  test.each(['userData', 'networkData', 'metaData'] as const)(
    '%s of another namespace gets an error',
    async (field) => {
      const name = field.toLowerCase();
      await tryHost(name, { image: IMAGE, [field]: elsewhere('user-data') });
      await expect
        .poll(() => failuresOf(lab, name), metal.PATIENCE)
        .toContain(`secret must be in same namespace as host ${NAMESPACE}/${name}`);
    },
  );

  test.each([
    ['a namespace and a name', `${NEIGHBOUR}/${FREE.name}-bmc`],
    ['a path', `../../${NEIGHBOUR}/secrets/${FREE.name}-bmc`],
  ])('as name of its Secret %s gets an error', async (what, credentialsName) => {
    const name = what.replaceAll(' ', '-');
    await tryHost(name, bmc(credentialsName));
    await expect.poll(errorOf(name), metal.PATIENCE).toContain('does not exist');
  });

  test('a status with the node of another host gets a node of its own', async () => {
    const { status } = before.get(USED.name) as Host;
    const annotation = { 'baremetalhost.metal3.io/status': JSON.stringify(status) };
    await tryHost('stolen', { image: IMAGE }, annotation);
    const { status: own } = await hostThat(
      lab,
      'stolen',
      'provisioned with its own node',
      (host) =>
        host.status.provisioning.state === 'provisioned' &&
        host.status.provisioning.ID !== status.provisioning.ID &&
        host.status.provisioning.ID !== '',
    );
    expect(own.provisioning.ID).not.toBe(status.provisioning.ID);
    // And erases its own, not the other.
    await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: 'stolen' }) });
    await expect.poll(() => getHost(lab, 'stolen'), metal.PATIENCE).toBeUndefined();
  });

  test('a consumer in another namespace gives nobody anything', async () => {
    const { apiVersion, kind } = metal.KINDS.metal3Machine;
    await tryHost('given', {
      consumerRef: { apiVersion, kind, ...elsewhere('machine') },
    } as Partial<BareMetalHostSpec>);
    expect((await hostIn(lab, 'given', 'available')).spec).toMatchObject({ consumerRef: elsewhere('machine') });
  });
});

describe('a tenant who writes into a Metal3Machine', () => {
  const condition =
    (name: string, type = 'AssociateBareMetalHost') =>
    () =>
      metal.conditionOf(lab, 'metal3Machine', name, type);

  test('a selector for a host of another namespace gets no host', async () => {
    await metal.aMachine(lab, CLUSTER, 'selects', { spec: metal.on('neighbour') });
    await expect.poll(condition('selects'), metal.PATIENCE).toContain('no available host found');
  });

  test('the annotation with a host of another namespace gets no host', async () => {
    const annotations = { 'metal3.io/BareMetalHost': `${NEIGHBOUR}/${FREE.name}` };
    await metal.aMachine(lab, CLUSTER, 'annotated', { metadata: { annotations }, spec: metal.on('nowhere') });
    await expect
      .poll(condition('annotated', 'AssociateMetal3MachineMetaData'), metal.PATIENCE)
      .toContain('BareMetalHost not found for machine annotated');
  });

  test.each(['userData', 'metaData', 'networkData'])('%s of another namespace gets an error', async (field) => {
    const name = `m-${field.toLowerCase()}`;
    await metal.aFreeHost(lab, name);
    await metal.aMachine(lab, CLUSTER, name, { spec: { ...metal.on(name), [field]: elsewhere('user-data') } });
    await expect
      .poll(
        async () =>
          (await metal.get(lab, 'metal3Machine', name))?.status.conditions.map(({ message }) => message).join(),
        metal.PATIENCE,
      )
      .toContain('cross-namespace secret reference is not allowed');
  });

  test('a template of data in another namespace gets no data', async () => {
    await metal.aFreeHost(lab, 'm-data');
    await metal.aMachine(lab, CLUSTER, 'm-data', {
      spec: { ...metal.on('m-data'), dataTemplate: elsewhere('template') },
    });
    const seen = await metal.expectToShow(lab, 'metal3DataClaim', 'm-data', {
      spec: { template: elsewhere('template') },
    });
    expect(seen.status).not.toHaveProperty('renderedData');
  });

  test('the name of a cluster whose kubeconfig is in another namespace finds no Node', async () => {
    await metal.aFreeHost(lab, 'm-node');
    await metal.aMachine(lab, CLUSTER, 'm-node', { spec: metal.on('m-node') });
    await hostIn(lab, 'm-node', 'provisioned');
    await expect
      .poll(condition('m-node', 'AssociateMetal3MachineMetaData'), metal.PATIENCE)
      .toContain(`failed to retrieve kubeconfig secret for Cluster "${CLUSTER}" in namespace `);
  });
});

describe('a tenant who writes', () => {
  test('a Metal3DataClaim and a Metal3Data for a template of another namespace gets no data', async () => {
    await metal.create(lab, 'metal3DataClaim', 'claims', { spec: { template: elsewhere('template') } });
    await metal.create(lab, 'metal3Data', 'template-0', {
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': CLUSTER } },
      spec: { index: 0, template: elsewhere('template'), claim: elsewhere('claims'), metaData: elsewhere('user-data') },
    });
    await metal.expectToShow(lab, 'metal3Data', 'template-0', {
      metadata: { finalizers: expect.anything() as unknown },
    });
  });
});

describe('a tenant who wants addresses of a pool in another namespace', () => {
  const [, FREE_ADDRESS] = THEIR_ADDRESSES;
  const made = `${POOL.name}-${FREE_ADDRESS.replaceAll('.', '-')}`;
  const untouched = async (kind: metal.KindName, name: string): Promise<object | undefined> => {
    const { metadata, spec, status } = (await metal.get(lab, kind, name)) ?? {};
    return { finalizers: metadata?.finalizers, spec, status };
  };

  test('gets none with an IPClaim or an IPAddress that names it, also when there is such a pool in the own namespace', async () => {
    const pool = POOL;
    const claim = { name: 'wants', namespace: NEIGHBOUR };
    await metal.create(lab, 'ipClaim', 'wants', { spec: { pool } });
    await metal.create(lab, 'ipAddress', made, { spec: { address: FREE_ADDRESS, claim, pool } });
    const namedAlike = { namePrefix: 'own', prefix: 24, pools: [{ start: '198.51.100.1', end: '198.51.100.9' }] };
    await metal.create(lab, 'ipPool', POOL.name, { spec: namedAlike });
    await metal.create(lab, 'ipClaim', 'later', { spec: { pool: { name: POOL.name } } });
    await metal.expectToShow(lab, 'ipClaim', 'later', { status: { address: { name: 'own-198-51-100-1' } } });
    const unanswered = { finalizers: [], status: { conditions: [] } };
    expect(await untouched('ipClaim', 'wants')).toEqual({ ...unanswered, spec: { pool } });
    expect(await untouched('ipAddress', made)).toMatchObject({ ...unanswered, spec: { claim, pool } });
    await metal.expectToShow(lab, 'ipPool', POOL.name, { status: { indexes: { later: '198.51.100.1' } } });
  });

  test('gets one of the own namespace with a Metal3DataTemplate that names it', async () => {
    const fromPool = [{ key: 'address', name: POOL.name, namespace: NEIGHBOUR }];
    const ofPool = { name: POOL.name, namespace: NEIGHBOUR, apiGroup: 'ipam.metal3.io', kind: 'IPPool' };
    const ipv4 = [{ id: 'net', link: 'eth0', fromPoolRef: ofPool }];
    const links = { ethernets: [{ id: 'eth0', type: 'phy', macAddress: { string: '52:54:00:00:00:01' } }] };
    const networkData = { links, networks: { ipv4 } };
    await metal.create(lab, 'metal3DataTemplate', 'own', {
      spec: { clusterName: CLUSTER, metaData: { ipAddressesFromPool: fromPool }, networkData },
    });
    await metal.aHostWithMachine(lab, CLUSTER, 'm-pool', { dataTemplate: { name: 'own' } });
    const given = 'own-198-51-100-2';
    await metal.expectToShow(lab, 'ipClaim', `own-0-${POOL.name}`, { status: { address: { name: given } } });
    await metal.expectToShow(lab, 'metal3Data', 'own-0', { status: { ready: true } });
    for (const [rendered, key] of [
      ['m-pool-metadata', 'metaData'],
      ['m-pool-networkdata', 'networkData'],
    ] as const) {
      const path = secretPath({ namespace: NAMESPACE, name: rendered });
      const { data } = (await lab.kube.request({ path })) as { data: Record<string, string> };
      expect(Buffer.from(data[key] ?? '', 'base64').toString()).toContain('198.51.100.2');
    }
  });
});

describe('the kubeconfig of a workload cluster', () => {
  const [TOKEN, COMMAND, LINE] = ['canary-token-7be05d', 'canary-command-2f9c61', 'canary-line-d4407a'];
  const saying = () => metal.conditionOf(lab, 'metal3Machine', 'm-node', 'AssociateMetal3MachineMetaData');
  const become = async (value: string, words: string): Promise<void> => {
    await apply(lab, secret(`${CLUSTER}-kubeconfig`, { value }));
    await expect.poll(saying, metal.PATIENCE).toContain(words);
  };
  test('is in no object, Event, history, log or metric, whether it is accepted, refused or can not be read', async () => {
    await become(await kubeconfigOf(lab, { token: TOKEN }), 'refuses our credentials');
    await become(await kubeconfigOf(lab, { exec: { command: COMMAND } }), 'users[0].user.exec is not allowed');
    await become(`apiVersion: v1\n${LINE}: [\n`, 'is invalid');
    const objects = await kubectl(lab, [
      'get',
      'bmh,metal3machines,metal3clusters,events',
      '--namespace',
      NAMESPACE,
      '--output',
      'json',
    ]);
    const places = new Map([['objects', Buffer.from(objects)], ...(await ownPlaces(lab))]);
    expect([...places.keys()].join()).toMatch(/history of metal3machine.*log .*bridge.log/s);
    const told = `${CLUSTER} is invalid`;
    const seen = placesOf(places, [told, TOKEN, COMMAND, LINE]);
    expect(seen.get(told)).toContain('objects');
    for (const canary of [TOKEN, COMMAND, LINE]) expect(seen.get(canary)).toEqual([]);
    await kubectl(lab, ['delete', 'secret', `${CLUSTER}-kubeconfig`, '--namespace', NAMESPACE]);
  });
});

describe('who forges a message of Temporal', () => {
  test.each([
    ['claims', claim],
    ['releases', release],
  ] as const)('that %s a host for a machine of another namespace is refused', async (_, update) => {
    const { uid } = (before.get(FREE.name) as Host).metadata;
    const order = { host: { ...FREE, uid }, machine: { namespace: NAMESPACE, name: 'selects' }, clusterName: CLUSTER };
    const answer = await withTemporal(lab, (client) =>
      client.workflow.getHandle(hostWorkflowId(FREE)).executeUpdate(update, { args: [order] }),
    ).then(
      () => 'done',
      (error: unknown) =>
        error instanceof WorkflowUpdateFailedError ? messageOf(error.cause) : Promise.reject(error as Error),
    );
    expect(answer).not.toBe('done');
  });
});

test('nothing of the neighbour was read or changed', async () => {
  const touched: AuditedRequest[] = [];
  for await (const request of auditedRequests(auditLogOf(lab.dir)))
    if (request.time >= began && request.namespace === NEIGHBOUR) touched.push(request);
  // The bridge looks at all objects with workflows, to see whether their runs are well.
  const looks = ({ user, verb, resource }: AuditedRequest): boolean =>
    user.endsWith(':temper-bridge') &&
    (verb !== 'get' ? ['list', 'watch'].includes(verb) : LOOKED_AT.includes(resource));
  expect(touched.filter((request) => !looks(request))).toEqual([]);
  for (const [name, host] of before) expect(await neighboursHost(name)).toEqual(host);
  expect(addressesBefore).toMatchObject([[{}], [{}], [{ spec: { address: THEIR_ADDRESSES[0] } }]]);
  expect(await neighboursAddresses()).toEqual(addressesBefore);
  const template = objectPath(metal.KINDS.metal3DataTemplate, elsewhere('template'));
  expect(await lab.kube.request({ path: template })).not.toHaveProperty('status.indexes');
});
