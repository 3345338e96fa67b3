import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimKind } from '../../domain/ip-pool/names.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { objectPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { keepRuns, runsUnder } from '../e2e/support/histories.ts';
import { type Breakable, startBreakableControlPlane } from './bridge/control-plane.ts';
import { addressQuota } from './data/address-quota.ts';
import { movePools } from './data/moved-pools.ts';
import { ADDRESSES, BOTH, CLAIMS, poolsIn } from './data/pools.ts';
import { openScene } from './data/scene.ts';

const A_TEXT: unknown = expect.any(String);
const LABELS = { 'cluster.x-k8s.io/cluster-name': 'blue', 'cluster.x-k8s.io/provider': 'ipam-metal3' };

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

const { pool, claim, addressOf, allocated, indexesOf } = poolsIn(() => scene);
const expectAddress = (kind: ClaimKind, name: string, address: string) =>
  expect.poll(() => addressOf(kind, name)).toBe(address);
const expectGone = (kind: FollowedKind, name: string) => expect.poll(() => scene.read(kind, name)).toBeUndefined();

describe('an address claim', () => {
  const office = { start: '10.0.0.10', end: '10.0.0.11', prefix: 24, gateway: '10.0.0.1', dnsServers: ['10.0.0.53'] };

  test('of Metal3 gets an IPAddress of Metal3', async () => {
    await pool('office', { pools: [office], preAllocations: { 'c-2': '10.0.0.10' } });
    const made = await claim('IPClaim', 'c-1', 'office', { labels: { room: '17' } });
    await expectAddress('IPClaim', 'c-1', 'office-10-0-0-11');
    const { uid } = (await scene.read(KINDS.ipPool, 'office'))?.metadata ?? {};
    const { start: _, end: __, ...rest } = office;
    const address = await scene.read(KINDS.ipAddress, 'office-10-0-0-11');
    expect(address).toMatchObject({
      metadata: {
        labels: { room: '17' },
        finalizers: ['ipaddress.ipam.metal3.io'],
        ownerReferences: [
          { apiVersion: 'ipam.metal3.io/v1alpha1', kind: 'IPPool', name: 'office', uid },
          { apiVersion: 'ipam.metal3.io/v1alpha1', kind: 'IPClaim', name: 'c-1', uid: made.metadata.uid },
        ],
      },
    });
    expect(address?.spec).toEqual({
      ...rest,
      address: '10.0.0.11',
      pool: { name: 'office', namespace: scene.namespace },
      claim: { name: 'c-1', namespace: scene.namespace },
    });
    expect(await scene.read(KINDS.ipClaim, 'c-1')).toMatchObject({
      metadata: { finalizers: ['ipclaim.ipam.metal3.io'] },
      status: { address: { name: 'office-10-0-0-11', namespace: scene.namespace } },
    });
    await expect
      .poll(() => scene.read(KINDS.ipPool, 'office'))
      .toMatchObject({
        metadata: { finalizers: ['ippool.ipam.metal3.io'] },
        status: { indexes: { 'c-1': '10.0.0.11' }, lastUpdated: A_TEXT },
      });
  });

  test('of Cluster API gets an IPAddress of Cluster API, also one that the pool keeps for it', async () => {
    // The Cluster of the claim is not that of the pool.
    await scene.patch(KINDS.cluster, 'blue', { spec: { paused: true } });
    await claim('IPAddressClaim', 'c-2', 'office');
    await expectAddress('IPAddressClaim', 'c-2', 'office-10-0-0-10');
    expect((await scene.read(KINDS.clusterIpAddress, 'office-10-0-0-10'))?.spec).toEqual({
      address: '10.0.0.10',
      prefix: 24,
      gateway: '10.0.0.1',
      poolRef: { name: 'office', kind: 'IPPool', apiGroup: 'ipam.metal3.io' },
      claimRef: { name: 'c-2' },
    });
    expect((await scene.read(KINDS.ipAddressClaim, 'c-2'))?.status).toEqual({
      addressRef: { name: 'office-10-0-0-10' },
      conditions: [expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Allocated' })],
    });
    await scene.patch(KINDS.cluster, 'blue', { spec: { paused: false } });
    await expect.poll(() => indexesOf('office')).toEqual({ 'c-1': '10.0.0.11', 'c-2': '10.0.0.10' });
  });

  test('of Cluster API that is written in v1beta1 gets an IPAddress, and both are read in that version, too', async () => {
    const inOlder = (kind: FollowedKind): FollowedKind => ({ ...kind, apiVersion: 'ipam.cluster.x-k8s.io/v1beta1' });
    const poolRef = { name: 'older', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
    await pool('older', { pools: [{ subnet: '10.9.0.0/24' }], prefix: 24 });
    const made = await scene.create(inOlder(KINDS.ipAddressClaim), 'older-1', { spec: { poolRef } });
    await expectAddress('IPAddressClaim', 'older-1', 'older-10-9-0-1');
    expect(await scene.read(inOlder(KINDS.ipAddressClaim), 'older-1')).toMatchObject({
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta1',
      metadata: { uid: made.metadata.uid, finalizers: ['ipam.metal3.io/ipaddressclaim'] },
      status: { addressRef: { name: 'older-10-9-0-1' } },
    });
    expect((await scene.read(inOlder(KINDS.clusterIpAddress), 'older-10-9-0-1'))?.spec).toEqual({
      address: '10.9.0.1',
      prefix: 24,
      poolRef,
      claimRef: { name: 'older-1' },
    });
    await scene.remove(inOlder(KINDS.ipAddressClaim), 'older-1');
    await expectGone(KINDS.ipAddressClaim, 'older-1');
    await expectGone(KINDS.clusterIpAddress, 'older-10-9-0-1');
  });

  test('of Cluster API that is named like an IPClaim gets an address of its own, and keeps it when the other leaves', async () => {
    await pool('twins', { pools: [{ subnet: '10.10.0.0/24' }] });
    await claim('IPClaim', 'twin', 'twins');
    await expectAddress('IPClaim', 'twin', 'twins-10-10-0-1');
    await claim('IPAddressClaim', 'twin', 'twins');
    await expectAddress('IPAddressClaim', 'twin', 'twins-10-10-0-2');
    const spec = { address: '10.10.0.2', claimRef: { name: 'twin' } };
    expect(await scene.read(KINDS.clusterIpAddress, 'twins-10-10-0-2')).toMatchObject({ spec });
    await expect.poll(() => indexesOf('twins')).toEqual({ twin: '10.10.0.1', 'twin/IPAddressClaim': '10.10.0.2' });

    await scene.remove(KINDS.ipClaim, 'twin');
    await expectGone(KINDS.ipClaim, 'twin');
    await expect.poll(() => indexesOf('twins')).toEqual({ twin: '10.10.0.2' });
    expect(await addressOf('IPAddressClaim', 'twin')).toBe('twins-10-10-0-2');
    expect(await allocated('twins')).toEqual(['10.10.0.2']);
  });

  test.each(BOTH)(
    'that shows an address is left alone, whatever changes, also without such an IPAddress: %s',
    async (kind) => {
      const name = `shown-${kind.toLowerCase()}`;
      const restored = `${name}-restored`;
      await claim(kind, restored, name);
      const status = kind === 'IPClaim' ? { address: { name: 'x' } } : { addressRef: { name: 'x' } };
      const path = objectPath(CLAIMS[kind], { namespace: scene.namespace, name: restored });
      await scene.kube.patch(`${path}/status`, { status });
      await pool(name, { pools: [{ subnet: '10.11.0.0/24' }], prefix: 24 });
      await claim(kind, name, name);
      await expectAddress(kind, name, `${name}-10-11-0-1`);
      await scene.patch(CLAIMS[kind], name, { metadata: { annotations: { ipAddress: '10.11.0.9' } } });
      const before = await Promise.all([name, restored].map((each) => scene.read(CLAIMS[kind], each)));

      await scene.patch(KINDS.ipPool, name, { spec: { prefix: 25, preAllocations: { [name]: '10.11.0.8' } } });
      await claim(kind, `${name}-next`, name);
      await expectAddress(kind, `${name}-next`, `${name}-10-11-0-2`);
      expect(await Promise.all([name, restored].map((each) => scene.read(CLAIMS[kind], each)))).toEqual(before);
      expect(await scene.read(ADDRESSES[kind], `${name}-10-11-0-1`)).toMatchObject({ spec: { prefix: 24 } });
      expect((await allocated(name)).toSorted()).toEqual(['10.11.0.1', '10.11.0.2']);
    },
  );

  test('says that the pool is exhausted, and is served when room appears', async () => {
    for (const kind of BOTH) await claim(kind, `late-${kind.toLowerCase()}`, 'office');
    await claim('IPClaim', 'odd', 'office', { annotations: { ipAddress: 'nonsense' } });
    const message = 'Exhausted IP Pools';
    await expect
      .poll(async () => (await scene.read(KINDS.ipClaim, 'late-ipclaim'))?.status)
      .toEqual({ errorMessage: message });
    await expect
      .poll(async () => (await scene.read(KINDS.ipAddressClaim, 'late-ipaddressclaim'))?.status)
      .toMatchObject({ conditions: [{ type: 'Ready', status: 'False', reason: 'PoolExhausted', message }] });
    const errorMessage = 'Invalid ipAddress annotation "nonsense": not a valid IP address';
    await expect.poll(async () => (await scene.read(KINDS.ipClaim, 'odd'))?.status).toEqual({ errorMessage });

    await scene.remove(KINDS.ipClaim, 'c-1');
    await expectGone(KINDS.ipClaim, 'c-1');
    await expect.poll(async () => new Set(await allocated('office'))).toEqual(new Set(['10.0.0.10', '10.0.0.11']));
    await scene.patch(KINDS.ipPool, 'office', { spec: { pools: [office, { subnet: 'fd00::/64', prefix: 64 }] } });
    await expect
      .poll(async () => new Set(await allocated('office')))
      .toEqual(new Set(['10.0.0.10', '10.0.0.11', 'fd00::1']));
    for (const kind of BOTH) {
      await expect.poll(() => addressOf(kind, `late-${kind.toLowerCase()}`)).toEqual(A_TEXT);
    }
    expect((await scene.read(KINDS.ipClaim, 'late-ipclaim'))?.status).not.toHaveProperty('errorMessage');
    expect(await addressOf('IPClaim', 'odd')).toBeUndefined();
  });

  test('that others still use keeps its address, although both are deleted', async () => {
    await claim('IPClaim', 'used', 'office', { finalizers: ['example.com/used'] });
    await expectAddress('IPClaim', 'used', 'office-fd00--2');
    await scene.remove(KINDS.ipAddress, 'office-fd00--2');
    await scene.remove(KINDS.ipClaim, 'used');
    await claim('IPClaim', 'next', 'office');
    await expectAddress('IPClaim', 'next', 'office-fd00--3');
    expect(await scene.read(KINDS.ipAddress, 'office-fd00--2')).toBeDefined();
    await scene.patch(KINDS.ipClaim, 'used', { metadata: { finalizers: ['ipclaim.ipam.metal3.io'] } });
    await expectGone(KINDS.ipClaim, 'used');
    await expectGone(KINDS.ipAddress, 'office-fd00--2');
    const { namespace, temporal } = scene;
    const isOpen = ({ status }: { readonly status: string }): boolean => status === 'RUNNING';
    await keepRuns(temporal, 'pools-exhausted', entityWorkflowId('IPPool', { namespace, name: 'office' }), isOpen);
  });

  test.each(BOTH)('leaks nothing when it is deleted at once: %s', async (kind) => {
    const name = `hasty-${kind.toLowerCase()}`;
    await pool(name, { pools: [{ subnet: '10.1.0.0/24' }] });
    const names = Array.from({ length: 20 }, (_, at) => `${name}-${at}`);
    await Promise.all(
      names.map(async (each) => {
        await claim(kind, each, name);
        await scene.remove(CLAIMS[kind], each);
      }),
    );
    const left = async () => (await scene.all(CLAIMS[kind])).filter(({ metadata }) => names.includes(metadata.name));
    await expect.poll(left).toEqual([]);
    await claim(kind, `${name}-last`, name);
    await expectAddress(kind, `${name}-last`, `${name}-10-1-0-1`);
    await expect.poll(() => allocated(name)).toEqual(['10.1.0.1']);
    await scene.remove(CLAIMS[kind], `${name}-last`);
    await expectGone(ADDRESSES[kind], `${name}-10-1-0-1`);
  });

  test.each(BOTH)('that was held by a run which was lost before it gave anything is let go: %s', async (kind) => {
    const name = `paused-${kind.toLowerCase()}`;
    await pool(name, { pools: [{ subnet: '10.1.0.0/24' }] }, { annotations: { 'cluster.x-k8s.io/paused': '' } });
    const finalizer = kind === 'IPClaim' ? 'ipclaim.ipam.metal3.io' : 'ipam.metal3.io/ipaddressclaim';
    await claim(kind, name, name, { finalizers: [finalizer] });
    await scene.remove(CLAIMS[kind], name);
    expect(await scene.read(CLAIMS[kind], name)).toMatchObject({ metadata: { deletionTimestamp: A_TEXT } });
    await scene.patch(KINDS.ipPool, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
    await expectGone(CLAIMS[kind], name);
  });
});

describe('an IPPool of a Cluster', () => {
  test('is linked to it, and does nothing while it is missing or paused', async () => {
    await pool('fleet', {
      clusterName: 'green',
      pools: [{ subnet: '10.2.0.0/24' }],
      preAllocations: { kept: '10.2.0.2' },
    });
    await claim('IPClaim', 'fleet-1', 'fleet');
    const labels = { ...LABELS, 'cluster.x-k8s.io/cluster-name': 'green' };
    await expect.poll(() => scene.read(KINDS.ipPool, 'fleet')).toMatchObject({ metadata: { labels } });
    const green = await scene.create(KINDS.cluster, 'green', { spec: { paused: true } });
    const { apiVersion, kind } = KINDS.cluster;
    const ownerReferences = [{ apiVersion, kind, name: 'green', uid: green.metadata.uid }];
    await expect.poll(() => scene.read(KINDS.ipPool, 'fleet')).toMatchObject({ metadata: { labels, ownerReferences } });
    const paused = await scene.read(KINDS.ipPool, 'fleet');
    expect([paused?.metadata.finalizers, paused?.status]).toEqual([undefined, undefined]);
    expect(await addressOf('IPClaim', 'fleet-1')).toBeUndefined();

    await scene.patch(KINDS.cluster, 'green', { spec: { paused: false } });
    await expectAddress('IPClaim', 'fleet-1', 'fleet-10-2-0-1');
  });

  test('that is deleted is gone when its last address is, and keeps none for claims that may come', async () => {
    await scene.remove(KINDS.ipPool, 'fleet');
    await claim('IPClaim', 'fleet-2', 'fleet');
    await expectAddress('IPClaim', 'fleet-2', 'fleet-10-2-0-2');
    await scene.remove(KINDS.ipClaim, 'fleet-1');
    await expectGone(KINDS.ipClaim, 'fleet-1');
    expect(await scene.read(KINDS.ipPool, 'fleet')).toMatchObject({ metadata: { deletionTimestamp: A_TEXT } });
    await keepRuns(scene.temporal, 'pools', entityWorkflowId('IPPool', { namespace: scene.namespace, name: 'fleet' }));
    await scene.remove(KINDS.ipClaim, 'fleet-2');
    await expectGone(KINDS.ipPool, 'fleet');
    expect(await allocated('fleet')).toEqual([]);
  });
});

describe('an IPPool that is moved to another management cluster', () => {
  test('keeps its addresses, with objects that are created anew without a status, and a Temporal that knows nothing', async () => {
    const white = await scene.create(KINDS.cluster, 'white');
    await pool('convoy', { clusterName: 'white', pools: [{ subnet: '10.6.0.0/24', prefix: 24 }] });
    await claim('IPClaim', 'convoy-1', 'convoy');
    await expectAddress('IPClaim', 'convoy-1', 'convoy-10-6-0-1');
    await claim('IPClaim', 'convoy-2', 'convoy');
    await expectAddress('IPClaim', 'convoy-2', 'convoy-10-6-0-2');
    await claim('IPAddressClaim', 'convoy-3', 'convoy');
    await expectAddress('IPAddressClaim', 'convoy-3', 'convoy-10-6-0-3');
    // What is given next is not what the order of the claims would give.
    await scene.remove(KINDS.ipClaim, 'convoy-1');
    await expectGone(KINDS.ipClaim, 'convoy-1');
    const indexes = { 'convoy-2': '10.6.0.2', 'convoy-3': '10.6.0.3' };
    await expect.poll(() => indexesOf('convoy')).toEqual(indexes);

    await scene.patch(KINDS.cluster, 'white', { spec: { paused: true } });
    await movePools(scene, 'convoy', white);
    expect(await addressOf('IPClaim', 'convoy-2')).toBeUndefined();
    await claim('IPClaim', 'convoy-4', 'convoy');
    await scene.patch(KINDS.cluster, 'white', { spec: { paused: false } });

    await expectAddress('IPClaim', 'convoy-4', 'convoy-10-6-0-1');
    await expectAddress('IPClaim', 'convoy-2', 'convoy-10-6-0-2');
    await expectAddress('IPAddressClaim', 'convoy-3', 'convoy-10-6-0-3');
    await expect.poll(() => indexesOf('convoy')).toEqual({ ...indexes, 'convoy-4': '10.6.0.1' });
    expect((await allocated('convoy')).toSorted()).toEqual(['10.6.0.1', '10.6.0.2', '10.6.0.3']);
  });
});

describe('very many claims of both kinds', () => {
  const COUNT = Number(process.env['TEMPER_POOL_CLAIMS'] ?? 60);
  const kindOf = (at: number): ClaimKind => (at % 4 === 0 ? 'IPAddressClaim' : 'IPClaim');
  const lowest = (count: number): readonly string[] =>
    Array.from(
      { length: count },
      (_, at) => `10.${3 + Math.floor((at + 1) / 65_536)}.${Math.floor((at + 1) / 256) % 256}.${(at + 1) % 256}`,
    );
  const served = async () => {
    const claims = (await Promise.all(BOTH.map((kind) => scene.all(CLAIMS[kind])))).flat();
    return claims.filter(
      ({ metadata, status = {} }) => metadata.name.startsWith('many-') && (status['address'] ?? status['addressRef']),
    ).length;
  };
  /** Each has an address of its own. */
  const expectAllServed = async (count: number) => {
    await expect.poll(served).toBe(count);
    const addresses = await allocated('many');
    expect([addresses.length, new Set(addresses).size]).toEqual([count, count]);
  };
  const expectListed = (count: number) =>
    expect.poll(async () => Object.keys((await indexesOf('many')) as object).length).toBe(count);

  test('get the lowest addresses, each its own', async () => {
    await pool('many', { pools: [{ start: '10.3.0.1' }] });
    await Promise.all(Array.from({ length: COUNT }, (_, at) => claim(kindOf(at), `many-${at}`, 'many')));
    await expectAllServed(COUNT);
    expect(new Set(await allocated('many'))).toEqual(new Set(lowest(COUNT)));
  });

  test('get each its own although the run is ended in the middle', async () => {
    const claims = Array.from({ length: COUNT }, (_, at) => claim(kindOf(at), `many-${COUNT + at}`, 'many'));
    await expect.poll(async () => (await allocated('many')).length).toBeGreaterThan(COUNT);
    await scene.terminate(KINDS.ipPool, 'many');
    await Promise.all(claims);
    await expectAllServed(2 * COUNT);
  });

  test('keep them when Temporal has lost everything, and what is released is given again', async () => {
    // The status may still have the addresses that two runs gave to one claim, of which one is gone.
    await expectListed(2 * COUNT);
    const before = await indexesOf('many');
    await scene.loseTemporal();
    const released = [1, 2, COUNT - 2];
    await Promise.all(released.map((at) => scene.remove(CLAIMS[kindOf(at)], `many-${at}`)));
    for (const at of released) await expectGone(CLAIMS[kindOf(at)], `many-${at}`);
    for (const at of released) await claim('IPClaim', `many-${at + 2 * COUNT}`, 'many');
    await expectAllServed(2 * COUNT);
    await expectListed(2 * COUNT);
    const kept = Object.entries(before as Record<string, string>).filter(
      ([name]) => !released.some((at) => name === `many-${at}`),
    );
    expect(await indexesOf('many')).toMatchObject(Object.fromEntries(kept));
  });
});

describe('an IPAddress that a quota forbids', () => {
  const statusOf = async (name: string): Promise<unknown> => (await scene.read(KINDS.ipClaim, name))?.status;

  test('is created soon after the quota is raised, by a run that was continued as new while it waited', async () => {
    await scene.continueAfter(20);
    const quota = await addressQuota(scene.kube, scene.namespace);
    await quota.set('0');
    await expect.poll(quota.isReached).toBe(true);
    await pool('rationed', { pools: [{ subnet: '10.12.0.0/24' }] });
    const names = ['rationed-1', 'rationed-2'];
    for (const name of names) {
      await claim('IPClaim', name, 'rationed');
      const errorMessage = 'Failed to create associated IPAddress object';
      await expect.poll(() => statusOf(name)).toEqual({ errorMessage });
    }
    const { namespace, temporal } = scene;
    const id = entityWorkflowId('IPPool', { namespace, name: 'rationed' });
    const endsOfRuns = async () => (await runsUnder(temporal, id)).map(({ status }) => status);
    await expect.poll(endsOfRuns).toContain('CONTINUED_AS_NEW');

    // Nobody signals this to the run: it tries again by itself.
    await quota.set('1000000');
    for (const name of names) await expect.poll(() => addressOf('IPClaim', name)).toEqual(A_TEXT);
    expect((await allocated('rationed')).toSorted()).toEqual(['10.12.0.1', '10.12.0.2']);
    expect(await statusOf('rationed-1')).not.toHaveProperty('errorMessage');
    await keepRuns(temporal, 'pools-refused', id);
  });
});

describe('with --watch-filter, an IPPool', () => {
  const FILTER = 'cluster.x-k8s.io/watch-filter';

  test('is served when it has the label, for claims with and without it; others are left to others', async () => {
    await scene.selectBy('ours');
    await pool('theirs', { pools: [{ subnet: '10.7.0.0/24' }] });
    await claim('IPClaim', 'theirs-1', 'theirs');
    await pool('ours', { pools: [{ subnet: '10.8.0.0/24' }] }, { labels: { [FILTER]: 'ours' } });
    for (const kind of BOTH) await claim(kind, `ours-${kind.toLowerCase()}`, 'ours');
    for (const kind of BOTH) await expect.poll(() => addressOf(kind, `ours-${kind.toLowerCase()}`)).toBeTruthy();
    // The pool before it is not even looked at.
    const theirs = await scene.read(KINDS.ipPool, 'theirs');
    expect([theirs?.metadata.finalizers, theirs?.status]).toEqual([undefined, undefined]);
    expect(await addressOf('IPClaim', 'theirs-1')).toBeUndefined();
    await scene.patch(KINDS.ipPool, 'theirs', { metadata: { labels: { [FILTER]: 'ours' } } });
    await expectAddress('IPClaim', 'theirs-1', 'theirs-10-7-0-1');
  });
});
