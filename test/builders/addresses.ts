import { createAddressActivities } from '../../activities/kubernetes/ipam/addresses.ts';
import { ADDRESS_KINDS } from '../../activities/kubernetes/ipam/claims.ts';
import { ADDRESS_FINALIZERS } from '../../api/ipam/kind.ts';
import type { AddressTaskAnswer, PoolAction } from '../../domain/ip-pool/action.ts';
import type { AddressTask } from '../../domain/ip-pool/decide.ts';
import type { ClaimKind } from '../../domain/ip-pool/names.ts';
import { KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../kube/paths.ts';
import type { ObjectsInMemory, StoredObject } from './objects-in-memory.ts';

export type Settling = Extract<PoolAction, { readonly name: 'settle' }>;

export const POOL = { namespace: 'metal', name: 'lan', uid: 'pool-uid' };
/** What the pool gives first. */
export const ALLOCATION = { address: '10.0.0.1', prefix: 24, gateway: '10.0.0.254', dnsServers: ['8.8.8.8'] };
export const FORBIDDEN = new KubeError('a write', 403, { reason: 'Forbidden', message: 'not today', object: 'x' });

/** An IPPool with claims and IPAddresses of both kinds, and the activities that settle them. */
export function addressesIn(server: () => ObjectsInMemory) {
  const path = (kind: Resource, name: string): string => objectPath(kind, { namespace: 'metal', name });
  const create = async (
    kind: Resource,
    name: string,
    { metadata = {}, ...rest }: { metadata?: object; spec?: object },
  ): Promise<StoredObject> =>
    (await server().kube.request({
      method: 'POST',
      path: collectionPath(kind, 'metal'),
      body: { ...rest, metadata: { ...metadata, name, namespace: 'metal' } },
    })) as StoredObject;
  return {
    path,
    pool: () => {
      const { address: _, ...around } = ALLOCATION;
      const spec = { namePrefix: 'p', pools: [{ start: '10.0.0.1', end: '10.0.0.9' }], ...around };
      return create(KINDS.ipPool, 'lan', { metadata: { uid: POOL.uid }, spec });
    },
    change: (patch: object) => server().kube.patch(path(KINDS.ipPool, 'lan'), patch),
    read: (kind: Resource, name: string): StoredObject | undefined => server().all().get(path(kind, name)),
    remove: (kind: Resource, name: string) => server().kube.request({ method: 'DELETE', path: path(kind, name) }),
    claim: async (kind: ClaimKind, name = 'a', metadata: object = {}, pool = 'lan') => {
      const spec =
        kind === 'IPClaim'
          ? { pool: { name: pool } }
          : { poolRef: { name: pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } };
      const { uid } = (await create(ADDRESS_KINDS[kind].claim, name, { metadata, spec })).metadata;
      return { kind, name, uid };
    },
    address: (kind: ClaimKind, claimName: string, name = 'p-10-0-0-1', pool = 'lan') =>
      create(ADDRESS_KINDS[kind].address, name, {
        metadata: { finalizers: [ADDRESS_FINALIZERS[kind].address] },
        spec: {
          address: '10.0.0.1',
          ...(kind === 'IPClaim'
            ? { claim: { name: claimName }, pool: { name: pool } }
            : { claimRef: { name: claimName }, poolRef: { name: pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } }),
        },
      }),
    addressesThere: (): readonly string[] =>
      [...server().all().keys()].filter((each) => each.includes('/ipaddresses/')),
    settle: async (task: AddressTask, namePrefix = 'p'): Promise<AddressTaskAnswer | undefined> => {
      const order: Settling = { name: 'settle', pool: POOL, namePrefix, tasks: [task] };
      return (await createAddressActivities({ kube: server().kube }).settleAddresses(order))[0];
    },
  };
}
