import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createDataActivities } from '../../activities/kubernetes/data/data.ts';
import { claimName } from '../../domain/data/names.ts';
import { KINDS } from '../../kube/kinds.ts';
import { holds } from '../e2e/support/needle.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { giveClusterAddress, IN_CLUSTER_POOL } from './data/in-cluster-pool.ts';
import { openScene, text } from './data/scene.ts';
import { givenBy, indexesOf, OF_ANOTHER_POOL, OF_IP_POOLS, OF_NODES, ofIpPool } from './data/templates.ts';

const A_UID: unknown = expect.any(String);

let plane: Breakable;
let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  plane = await startBreakableControlPlane();
  scene = await openScene(plane);
});
afterAll(async () => {
  await scene?.end();
  await plane?.close();
});

const data = (name: string) => scene.read(KINDS.data, name);
const claims = async () => (await scene.all(KINDS.ipClaim)).map(({ metadata: { name } }) => name);
const expectData = (name: string, what: object) => expect.poll(() => data(name)).toMatchObject(what);

describe('a claim', () => {
  test('gets its Metal3Data, and the machine its Secrets, once the host exists', async () => {
    await scene.create(KINDS.dataTemplate, 'nodes', { spec: OF_NODES });
    const machine = await scene.machine('one', 'nodes', 'host-1');
    await expectData('nodes-0', { status: { ready: false }, spec: { metaData: { name: 'one-metadata' } } });
    const claim = await scene.read(KINDS.dataClaim, 'one');
    expect(claim).toMatchObject({
      metadata: { finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'] },
      status: { renderedData: { name: 'nodes-0', namespace: scene.namespace } },
    });

    await scene.host('host-1', { labels: { room: '0017' } });
    await expectData('nodes-0', { status: { ready: false, errorMessage: 'NICs list not populated' } });
    await scene.inspected('host-1');

    await expectData('nodes-0', { status: { ready: true } });
    const made = await data('nodes-0');
    expect(made).toMatchObject({
      metadata: {
        labels: { 'cluster.x-k8s.io/cluster-name': 'blue' },
        finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io', 'metal3data.infrastructure.cluster.x-k8s.io'],
        ownerReferences: [
          { kind: 'Metal3DataClaim', name: 'one', uid: claim?.metadata.uid, controller: true },
          { kind: 'Metal3Machine', name: 'one', uid: machine.metadata.uid },
        ],
      },
      spec: {
        index: 0,
        template: { name: 'nodes', namespace: scene.namespace },
        claim: { name: 'one', namespace: scene.namespace },
        metaData: { name: 'one-metadata', namespace: scene.namespace },
        networkData: { name: 'one-networkdata', namespace: scene.namespace },
      },
    });
    expect(made?.status).toEqual({ ready: true });
    const secret = await scene.secret('one-metadata');
    expect(secret).toMatchObject({
      type: 'infrastructure.cluster.x-k8s.io/secret',
      metadata: {
        labels: { 'cluster.x-k8s.io/cluster-name': 'blue' },
        ownerReferences: [
          {
            apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
            kind: 'Metal3Data',
            name: 'nodes-0',
            uid: made?.metadata.uid,
            controller: true,
          },
        ],
      },
    });
    expect(text(secret?.data)).toEqual({
      metaData:
        `greeting: "yes"\nhidden: needle\nm: one\nmac: "52:54:00:00:00:01"\nproviderid: ${scene.namespace}/host-1/one\n` +
        'rank: r10\nroom: "0017"\n',
    });
    expect(text((await scene.secret('one-networkdata'))?.data)).toEqual({
      networkData:
        'links:\n- ethernet_mac_address: "52:54:00:00:00:01"\n  id: nic0\n  mtu: 1500\n  type: phy\n' +
        'networks:\n- id: lan\n  link: nic0\n  routes: []\n  type: ipv4_dhcp\n' +
        'services:\n- address: 8.8.8.8\n  type: dns\n',
    });
    expect(await scene.read(KINDS.dataTemplate, 'nodes')).toMatchObject({
      metadata: { finalizers: ['metal3datatemplate.infrastructure.cluster.x-k8s.io'] },
      status: { indexes: [{ name: 'one', index: 0 }], lastUpdated: A_UID },
    });
  });

  test('keeps what was rendered, and renders again what was deleted', async () => {
    const before = await scene.secret('one-networkdata');
    await scene.kube.patch(`/apis/metal3.io/v1alpha1/namespaces/${scene.namespace}/baremetalhosts/host-1`, {
      metadata: { labels: { room: '0018' } },
    });
    await scene.removeSecret('one-metadata');
    await expect
      .poll(async () => text((await scene.secret('one-metadata'))?.data)['metaData'])
      .toContain('room: "0018"\n');
    expect(await scene.secret('one-networkdata')).toEqual(before);
  });

  test('has addresses only of the pools in its template, whatever an order says', async () => {
    const { namespace } = scene;
    const uid = (await data('nodes-0'))?.metadata.uid ?? '';
    const order = {
      data: { namespace, name: 'nodes-0', uid },
      pools: [{ name: 'made-up', apiGroup: 'ipam.metal3.io', kind: 'IPPool' }],
    };
    const activities = createDataActivities({ kube: scene.kube, namesClaimsAfterHosts: false });
    await expect(activities.claimAddresses(order)).rejects.toMatchObject({
      type: 'Stale',
      nonRetryable: true,
      message: 'claim addresses: Metal3Data nodes-0: its template does not ask for one from made-up',
    });
    expect(await scene.read(KINDS.ipClaim, claimName('nodes-0', 'made-up'))).toBeUndefined();
  });

  test('without a Metal3Machine shows it, until it has one and is served', async () => {
    await scene.create(KINDS.dataClaim, 'orphan', { spec: { template: { name: 'nodes' } } });
    const errorMessage = 'metal3Machine not found in owner references';
    await expect.poll(() => scene.read(KINDS.dataClaim, 'orphan')).toMatchObject({ status: { errorMessage } });
    expect((await scene.read(KINDS.dataClaim, 'orphan'))?.metadata).not.toHaveProperty('finalizers');
    const { metadata } = await scene.create(KINDS.metal3Machine, 'parent', {
      spec: { image: { url: 'http://image', checksum: 'x' } },
    });
    const owner = {
      apiVersion: KINDS.metal3Machine.apiVersion,
      kind: 'Metal3Machine',
      name: 'parent',
      uid: metadata.uid,
    };
    await scene.patch(KINDS.dataClaim, 'orphan', { metadata: { ownerReferences: [owner] } });
    const renderedData = { name: 'nodes-1', namespace: scene.namespace };
    await expect.poll(async () => (await scene.read(KINDS.dataClaim, 'orphan'))?.status).toEqual({ renderedData });
    await scene.remove(KINDS.dataClaim, 'orphan');
    await expect.poll(() => data('nodes-1')).toBeUndefined();
  });

  test('is served without any rendered text in a history', async () => {
    const histories = [
      ['nodes-0', await scene.history(KINDS.data, 'nodes-0')],
      // The template's run knows its claims, and of those that are served only their number.
      ['orphan', await scene.history(KINDS.dataTemplate, 'nodes')],
    ] as const;
    for (const [known, history] of histories) {
      expect(holds(history, known)).toBe(true);
      expect(holds(history, 'needle')).toBe(false);
    }
  });

  test('whose Metal3Data is refused shows it', async () => {
    const template = 't'.repeat(252);
    await scene.create(KINDS.dataTemplate, template, { spec: {} });
    await scene.machine('refused', template);
    const errorMessage = 'Failed to create associated Metal3Data object';
    await expect.poll(() => scene.read(KINDS.dataClaim, 'refused')).toMatchObject({ status: { errorMessage } });
  });

  test('waits while its Cluster is paused', async () => {
    await scene.patch(KINDS.cluster, 'blue', { spec: { paused: true } });
    await scene.machine('later', 'nodes');
    await scene.create(KINDS.cluster, 'red');
    await scene.create(KINDS.dataTemplate, 'reds', { spec: {} });
    const owner = await scene.machine('red-one', 'reds');
    await scene.patch(KINDS.dataClaim, 'red-one', { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'red' } } });
    // The claim of the other Cluster was served, so this one was considered as well.
    await expectData('reds-0', { metadata: { ownerReferences: [{}, { uid: owner.metadata.uid }] } });
    expect((await scene.read(KINDS.dataClaim, 'later'))?.status).toBeUndefined();

    await scene.patch(KINDS.cluster, 'blue', { spec: { paused: false } });
    await expectData('nodes-1', { spec: { claim: { name: 'later' } } });
  });

  test('that is deleted frees its index, and its Secrets are deleted', async () => {
    await scene.remove(KINDS.dataClaim, 'one');
    await expect.poll(() => scene.read(KINDS.dataClaim, 'one')).toBeUndefined();
    await expect.poll(() => data('nodes-0')).toBeUndefined();
    await expect.poll(() => scene.secret('one-metadata')).toBeUndefined();
    await scene.machine('another', 'nodes');
    await expectData('nodes-0', { spec: { claim: { name: 'another' } } });
  });
});

describe('addresses', () => {
  test('of an IPPool are claimed, rendered and released', async () => {
    await scene.host('host-2', { annotations: { lan: 'office' } });
    const room = [{ start: '192.168.0.14', end: '192.168.0.14' }];
    await scene.create(KINDS.ipPool, 'office', { spec: { namePrefix: 'office', prefix: 24, pools: [] } });
    await scene.create(KINDS.ipPool, 'storage', {
      spec: {
        namePrefix: 'storage',
        prefix: 8,
        gateway: '10.0.0.1',
        dnsServers: ['10.0.0.53'],
        pools: [{ start: '10.0.0.9' }],
      },
    });
    await scene.create(KINDS.dataTemplate, 'pooled', { spec: OF_IP_POOLS });
    await scene.machine('two', 'pooled', 'host-2');
    await expect.poll(claims).toEqual(['pooled-0-office', 'pooled-0-storage']);
    const owner = await data('pooled-0');
    expect(await scene.read(KINDS.ipClaim, 'pooled-0-storage')).toMatchObject({
      metadata: {
        labels: { 'cluster.x-k8s.io/cluster-name': 'blue' },
        finalizers: expect.arrayContaining(['metal3data.infrastructure.cluster.x-k8s.io']) as unknown,
        ownerReferences: [{ kind: 'Metal3Data', name: 'pooled-0', uid: owner?.metadata.uid, controller: true }],
      },
      spec: { pool: { name: 'storage', namespace: scene.namespace } },
    });

    const errorMessage = 'IP Allocation for office failed : Exhausted IP Pools';
    await expectData('pooled-0', { status: { ready: false, errorMessage } });
    await scene.patch(KINDS.ipPool, 'office', { spec: { pools: room } });

    await expectData('pooled-0', { status: { ready: true } });
    expect(text((await scene.secret('two-metadata'))?.data)).toEqual({
      metaData: `ip: 10.0.0.9\nproviderid: ${scene.namespace}/host-2/two\n`,
    });
    expect(text((await scene.secret('two-networkdata'))?.data)).toEqual({
      networkData:
        'links: []\nnetworks:\n- id: a\n  ip_address: 192.168.0.14\n  link: nic0\n  netmask: 255.255.255.0\n  routes:\n' +
        '  - gateway: 10.0.0.1\n    netmask: 0.0.0.0\n    network: 0.0.0.0\n    services: []\n  type: ipv4\n' +
        'services:\n- address: 10.0.0.53\n  type: dns\n',
    });

    await scene.remove(KINDS.dataClaim, 'two');
    await expect.poll(() => data('pooled-0')).toBeUndefined();
    await expect.poll(claims).toEqual([]);
  });

  test('of an IPPool without a prefix are rendered with the prefix 0', async () => {
    await scene.create(KINDS.ipPool, 'bare', { spec: { namePrefix: 'bare', pools: [{ start: '172.16.0.9' }] } });
    await scene.create(KINDS.dataTemplate, 'unprefixed', { spec: ofIpPool('bare') });
    await scene.machine('eight', 'unprefixed', 'host-2');
    await expectData('unprefixed-0', { status: { ready: true } });
    expect((await scene.read(KINDS.ipAddress, 'bare-172-16-0-9'))?.spec).not.toHaveProperty('prefix');
    expect(text((await scene.secret('eight-metadata'))?.data)).toEqual({
      metaData: `ip: 172.16.0.9\nprefix: "0"\nproviderid: ${scene.namespace}/host-2/eight\n`,
    });
    const { networkData = '' } = text((await scene.secret('eight-networkdata'))?.data);
    expect(parse(networkData)).toMatchObject({ networks: [{ ip_address: '172.16.0.9', netmask: '0.0.0.0' }] });
    await scene.remove(KINDS.dataClaim, 'eight');
    await expect.poll(() => scene.read(KINDS.ipClaim, 'unprefixed-0-bare')).toBeUndefined();
  });

  test('of another pool are claimed in the way of Cluster API', async () => {
    await scene.create(IN_CLUSTER_POOL, 'lan', { spec: { addresses: ['fd00::/64'], prefix: 64 } });
    await scene.create(KINDS.dataTemplate, 'foreign', { spec: OF_ANOTHER_POOL });
    await scene.machine('three', 'foreign', 'host-2');
    await expect
      .poll(() => scene.read(KINDS.ipAddressClaim, 'foreign-0-lan'))
      .toMatchObject({
        metadata: { finalizers: ['metal3data.infrastructure.cluster.x-k8s.io'] },
        spec: { poolRef: { name: 'lan', kind: 'InClusterIPPool', apiGroup: 'ipam.cluster.x-k8s.io' } },
      });
    await giveClusterAddress(scene.kube, scene.namespace, 'foreign-0-lan', 'fd00::9');
    await expectData('foreign-0', { status: { ready: true } });
    const { networkData = '' } = text((await scene.secret('three-networkdata'))?.data);
    expect(parse(networkData)).toMatchObject({
      networks: [{ ip_address: 'fd00::9', link: 'nic0', netmask: 'ffff:ffff:ffff:ffff::' }],
    });
    await scene.remove(KINDS.dataClaim, 'three');
    await expect.poll(() => scene.read(KINDS.ipAddressClaim, 'foreign-0-lan')).toBeUndefined();
  });
});

describe('addresses that an IPPool keeps for hosts', () => {
  const CLAIM = 'host-2-static';
  const finalizers: unknown = expect.arrayContaining(['metal3data.infrastructure.cluster.x-k8s.io']);
  const labels = { 'cluster.x-k8s.io/cluster-name': 'blue' };
  const byHost = (data: string) => ({
    'infrastructure.cluster.x-k8s.io/data-name': data,
    'infrastructure.cluster.x-k8s.io/pool-name': 'static',
  });

  test('go to the machine on the host, by claims that are named after the host', async () => {
    await scene.nameClaimsAfterHosts();
    await scene.create(KINDS.ipPool, 'static', {
      spec: {
        namePrefix: 'static',
        prefix: 24,
        pools: [{ subnet: '192.168.0.0/24' }],
        preAllocations: { [CLAIM]: '192.168.0.12' },
      },
    });
    const spec = { metaData: { ipAddressesFromPool: [{ key: 'ip', name: 'static' }] } };
    await scene.create(KINDS.dataTemplate, 'kept', { spec });
    await scene.machine('five', 'kept', 'host-2');
    await expect.poll(claims).toEqual([CLAIM]);
    const owner = await data('kept-0');
    const claim = await scene.read(KINDS.ipClaim, CLAIM);
    expect(claim).toMatchObject({
      metadata: { finalizers, ownerReferences: [{ name: 'kept-0', uid: owner?.metadata.uid, controller: true }] },
      spec: { pool: { name: 'static', namespace: scene.namespace } },
    });
    expect(claim?.metadata.labels).toEqual({ ...labels, ...byHost('kept-0') });

    await expectData('kept-0', { status: { ready: true } });
    expect((await data('kept-0'))?.metadata.labels).toEqual(labels);
    expect(text((await scene.secret('five-metadata'))?.data)['metaData']).toMatch(/^ip: 192\.168\.0\.12\n/);

    await scene.remove(KINDS.dataClaim, 'five');
    await expect.poll(() => data('kept-0')).toBeUndefined();
    await expect.poll(claims).toEqual([]);
  });

  test('are reserved for the next machine on the host, whatever its index', async () => {
    await scene.machine('six', 'kept');
    await expectData('kept-0', { spec: { claim: { name: 'six' } } });
    await scene.machine('seven', 'kept', 'host-2');
    await expect.poll(() => scene.read(KINDS.ipClaim, CLAIM)).toMatchObject({ metadata: { labels: byHost('kept-1') } });
    await scene.remove(KINDS.dataClaim, 'seven');
    await expect.poll(claims).toEqual([]);
  });
});

describe('a Metal3Data', () => {
  test('shows what its template asks for and its host does not have', async () => {
    await scene.create(KINDS.dataTemplate, 'asking', {
      spec: { metaData: { fromHostInterfaces: [{ key: 'mac', interface: 'eth9' }] } },
    });
    await scene.machine('four', 'asking', 'host-1');
    const errorMessage = 'NIC name not found eth9';
    await expect.poll(() => data('asking-0')).toMatchObject({ status: { ready: false, errorMessage } });
  });
});

describe('a Metal3DataTemplate', () => {
  /** 200 in `npm run test:nightly`. */
  const COUNT = Number(process.env['TEMPER_INDEXED_CLAIMS'] ?? 24);
  const RELEASED = [3, Math.floor(COUNT / 3), Math.floor(COUNT * 0.75)] as const;
  const names = Array.from({ length: COUNT }, (_, at) => `many-${at}`);
  const given = async (template: string) => givenBy(await scene.all(KINDS.data), template);
  const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  let before: Awaited<ReturnType<typeof given>>;

  test('gives claims that come at once distinct indexes', async () => {
    await scene.create(KINDS.dataTemplate, 'many', { spec: { metaData: {} } });
    await Promise.all(names.map((name) => scene.machine(name, 'many')));
    const indexes = async () => [...indexesOf(await scene.read(KINDS.dataTemplate, 'many')).values()];
    await expect.poll(async () => (await indexes()).length).toBe(COUNT);
    expect(await indexes()).toEqual(range(COUNT));
    const shown = async () =>
      (await scene.all(KINDS.dataClaim)).filter(
        ({ metadata, status }) => metadata.name.startsWith('many-') && status?.['renderedData'] !== undefined,
      ).length;
    await expect.poll(shown).toBe(COUNT);
    before = await given('many');
    expect(before.map(([, index]) => index)).toEqual(range(COUNT));
    expect(new Set(before.map(([claim]) => claim))).toEqual(new Set(names));
  });

  test('gives released indexes again, the lowest first', async () => {
    const released = before.filter(([, index]) => RELEASED.some((one) => one === index)).map(([claim]) => claim);
    await Promise.all(released.map((name) => scene.remove(KINDS.dataClaim, name)));
    await expect.poll(async () => (await given('many')).length).toBe(COUNT - RELEASED.length);
    await scene.machine('new-1', 'many');
    await expectData(`many-${RELEASED[0]}`, { spec: { claim: { name: 'new-1' } } });
    await scene.machine('new-2', 'many');
    await expectData(`many-${RELEASED[1]}`, { spec: { claim: { name: 'new-2' } } });
    before = await given('many');
  });

  test('knows its indexes after Temporal lost everything', async () => {
    await scene.loseTemporal();
    await scene.machine('new-3', 'many');
    await expectData(`many-${RELEASED[2]}`, { spec: { claim: { name: 'new-3' } } });
    await scene.machine('new-4', 'many');
    await expectData(`many-${COUNT}`, { spec: { claim: { name: 'new-4' } } });
    const after = await given('many');
    expect(after.filter(([claim]) => !['new-3', 'new-4'].includes(claim))).toEqual(before);
  });

  test('that is deleted is gone once it is unused', async () => {
    await scene.remove(KINDS.dataTemplate, 'reds');
    await expect
      .poll(async () => (await scene.read(KINDS.dataTemplate, 'reds'))?.metadata.deletionTimestamp)
      .toBeDefined();
    expect(await data('reds-0')).toBeDefined();
    await scene.remove(KINDS.dataClaim, 'red-one');
    await expect.poll(() => scene.read(KINDS.dataTemplate, 'reds')).toBeUndefined();
  });
});

test('all of this is shown by objects, and by no Event', async () => {
  const { items } = (await scene.kube.request({ path: `/api/v1/namespaces/${scene.namespace}/events` })) as {
    readonly items: readonly { readonly involvedObject: { readonly kind: string } }[];
  };
  expect(items.filter(({ involvedObject }) => involvedObject.kind.startsWith('Metal3'))).toEqual([]);
});
