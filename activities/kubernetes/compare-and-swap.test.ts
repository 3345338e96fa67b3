import { expect, test } from 'vitest';
import { FINALIZERS } from '../../api/baremetalhost/values.ts';
import { DATA_CLAIM_FINALIZER } from '../../domain/data/names.ts';
import { ADDRESS_FINALIZERS } from '../../domain/ip-pool/names.ts';
import { MACHINE_FINALIZER } from '../../domain/machine/names.ts';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, type Resource } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createKubernetesActivities } from './activities.ts';
import { createDataClaimTaskActivities } from './data/claims.ts';
import { createDataActivities } from './data/data.ts';
import { createAddressActivities } from './ipam/addresses.ts';

/**
 * Claims, releases and finalizers are written with the resourceVersion that was read, and objects are deleted with the
 * uid that was read. The mark of a host is in `freshness/fresh-host.test.ts`, the writes of the bridge in
 * `k8s-bridge/publish/write.test.ts`.
 */
const NAMESPACE = 'metal';
const at = (name: string) => ({ namespace: NAMESPACE, name, uid: `${name}-uid` });
const [HOST, MACHINE, LEAVING, DATA, POOL] = [at('host-1'), at('m-1'), at('m-2'), at('racks-0'), at('lan')];
const deletionTimestamp = '2026-01-01T00:00:01Z';
const GONE = { name: 'gone', uid: 'gone-uid' };

type Versioned = { readonly metadata?: { readonly resourceVersion?: string } };

/** The writes that would also change an object that others have changed or recreated since it was read. */
async function aWorld() {
  const { kube: stored } = objectsInMemory();
  const put = (kind: Resource, name: string, metadata: object = {}, rest: object = {}): Promise<unknown> =>
    stored.request({
      method: 'POST',
      path: collectionPath(kind, NAMESPACE),
      body: { ...rest, metadata: { ...at(name), ...metadata } },
    });
  const consumerRef = (name: string) => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
    kind: 'Metal3Machine',
    name,
    namespace: NAMESPACE,
  });
  const bmc = { address: 'redfish://bmc', credentialsName: 'login' };
  await put(KINDS.host, 'host-1', {}, { spec: { bmc } });
  await put(KINDS.host, 'host-2', {}, { spec: { bmc, consumerRef: consumerRef('m-2') } });
  await put(KINDS.host, 'host-3', { deletionTimestamp, finalizers: ['baremetalhost.metal3.io'] }, { spec: {} });
  const ownerReferences = [{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', ...at('host-3') }];
  await put(KINDS.secret, 'login', {
    finalizers: [FINALIZERS.secret],
    labels: { 'cluster.x-k8s.io/cluster-name': 'old' },
    ownerReferences,
  });
  await put(KINDS.hardwareData, 'host-3', { finalizers: [FINALIZERS.hardwareData] });
  await put(KINDS.metal3Machine, 'm-1', { finalizers: [MACHINE_FINALIZER] }, { spec: {} });
  await put(KINDS.metal3Machine, 'm-2', { finalizers: [MACHINE_FINALIZER], deletionTimestamp }, { spec: {} });

  const template = { template: { name: 'racks' } };
  const owner = [{ apiVersion: KINDS.metal3Machine.apiVersion, kind: 'Metal3Machine', name: 'm-1', uid: 'm-1-uid' }];
  const held = { finalizers: [DATA_CLAIM_FINALIZER] };
  await put(KINDS.dataClaim, 'm-1', { ownerReferences: owner }, { spec: template });
  await put(KINDS.dataClaim, 'm-2', { finalizers: [MACHINE_FINALIZER] }, { spec: template });
  await put(KINDS.dataClaim, 'm-3', { ...held, deletionTimestamp }, { spec: template });
  await put(KINDS.data, 'racks-3', held, { spec: { index: 3, ...template, claim: { name: 'm-3' } } });
  await put(KINDS.data, 'racks-4', { ...held, deletionTimestamp }, { spec: { claim: { name: 'nobody' } } });

  const addresses = { start: '10.0.0.1', end: '10.0.0.9' };
  await put(KINDS.ipPool, 'lan', {}, { spec: { namePrefix: 'p', pools: [addresses], clusterName: 'prod' } });
  const ours = { finalizers: [ADDRESS_FINALIZERS.IPClaim.claim] };
  const pool = { pool: { name: 'lan' } };
  const poolRef = { poolRef: { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' } };
  await put(KINDS.ipClaim, 'a', {}, { spec: pool });
  await put(KINDS.ipAddressClaim, 'b', {}, { spec: poolRef });
  await put(KINDS.ipClaim, 'c', { ...ours, deletionTimestamp }, { spec: pool });
  const address = (claim: string, value: string) => ({ spec: { ...pool, address: value, claim: { name: claim } } });
  const keeps = { finalizers: [ADDRESS_FINALIZERS.IPClaim.address] };
  await put(KINDS.ipAddress, 'p-10-0-0-3', keeps, address('c', '10.0.0.3'));
  await put(KINDS.ipAddress, 'p-10-0-0-4', { ...keeps, deletionTimestamp }, address('nobody', '10.0.0.4'));
  const finalizers = ['metal3data.infrastructure.cluster.x-k8s.io'];
  const ofData = [{ apiVersion: KINDS.data.apiVersion, kind: 'Metal3Data', ...GONE }];
  await put(KINDS.ipClaim, 'd', { finalizers, ownerReferences: ofData }, { spec: pool });
  await put(KINDS.ipClaim, 'e', { finalizers, ownerReferences: ofData, deletionTimestamp }, { spec: pool });

  const seen = new Map<string, string | undefined>();
  const blind: string[] = [];
  const written: string[] = [];
  const see = <T>(path: string, object: T): T => {
    seen.set(path, (object as Versioned | undefined)?.metadata?.resourceVersion);
    return object;
  };
  const kube: Kube = {
    ...stored,
    find: async (path) => see(path, await stored.find(path)),
    async patch(path, body) {
      const key = path.replace(/\/status$/, '');
      const version = (body as Versioned).metadata?.resourceVersion;
      if (version === undefined || version !== seen.get(key)) blind.push(`PATCH ${path}`);
      written.push(path);
      return see(key, await stored.patch(path, body));
    },
    request(call) {
      const { preconditions = {} } = (call.body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
      if (call.method === 'DELETE') written.push(call.path);
      if (call.method === 'DELETE' && preconditions.uid === undefined) blind.push(`DELETE ${call.path}`);
      return stored.request(call);
    },
  };
  const activities = {
    ...createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' }),
    ...createDataClaimTaskActivities({ kube }),
    ...createDataActivities({ kube, namesClaimsAfterHosts: false }),
    ...createAddressActivities({ kube }),
  };
  return { activities, blind, written: () => written.map((path) => path.split('/').slice(-3).join('/')) };
}

type Activities = Awaited<ReturnType<typeof aWorld>>['activities'];
const claims = (task: object) => ({ namespace: NAMESPACE, template: 'racks', tasks: [task] }) as never;
const pool = (task: object) => ({ name: 'settle', pool: POOL, namePrefix: 'p', tasks: [task] }) as never;
const allocation = { address: '10.0.0.1' };

const WRITES: readonly (readonly [string, (activities: Activities) => Promise<unknown>, writes: number])[] = [
  ['claim of a host', (on) => on.takeHost({ host: HOST, machine: MACHINE, clusterName: 'prod' }), 2],
  ['release of a host', (on) => on.giveHostBack({ host: at('host-2'), machine: LEAVING, clusterName: 'old' }), 2],
  ['move of a host that is held up', (on) => on.blockMove({ host: at('host-2'), machine: LEAVING }), 1],
  ['pause of a host', (on) => on.pauseHost({ host: at('host-2'), machine: LEAVING }), 3],
  ['end of what a host holds', (on) => on.releaseHost({ host: at('host-3'), credentialsName: 'login' }), 2],
  ['data for a claim', (on) => on.settleClaims(claims({ kind: 'give', claim: 'm-1', uid: MACHINE.uid, index: 7 })), 2],
  [
    'message on a claim for data',
    (on) => on.settleClaims(claims({ kind: 'complain', claim: 'm-1', uid: MACHINE.uid, message: 'no' })),
    1,
  ],
  [
    'release of data',
    (on) => on.settleClaims(claims({ kind: 'release', claim: 'm-3', uid: 'm-3-uid', data: 'racks-3' })),
    3,
  ],
  ['data without a claim', (on) => on.settleClaims(claims({ kind: 'let go', data: 'racks-4' })), 1],
  ['end of a claim for data', (on) => on.letDataGo(LEAVING), 2],
  ['claims for addresses of data that is gone', (on) => on.releaseAddresses({ data: { ...DATA, ...GONE } }), 4],
  ['claim for an address that is let go', (on) => on.letClaimsGo({ data: DATA, claims: ['e'] }), 1],
  [
    'address for a claim',
    (on) => on.settleAddresses(pool({ kind: 'give', claim: { kind: 'IPClaim', name: 'a', uid: 'a-uid' }, allocation })),
    2,
  ],
  [
    'address for a claim of Cluster API',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'give', claim: { kind: 'IPAddressClaim', name: 'b', uid: 'b-uid' }, allocation }),
      ),
    2,
  ],
  [
    'refusal of an address',
    (on) =>
      on.settleAddresses(
        pool({
          kind: 'refuse',
          claim: { kind: 'IPClaim', name: 'a', uid: 'a-uid' },
          reason: 'PoolExhausted',
          message: 'none',
        }),
      ),
    1,
  ],
  [
    'release of an address',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'release', claim: { kind: 'IPClaim', name: 'c', uid: 'c-uid' }, names: ['p-10-0-0-3'] }),
      ),
    3,
  ],
  [
    'address without a claim',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'let go', loose: { kind: 'IPClaim', claim: 'nobody', name: 'p-10-0-0-4', address: '10.0.0.4' } }),
      ),
    2,
  ],
];

test.each(WRITES)('%s: each write names what was read', async (_, act, writes) => {
  const { activities, blind, written } = await aWorld();
  await act(activities);
  expect(blind).toEqual([]);
  expect(written()).toHaveLength(writes);
});
