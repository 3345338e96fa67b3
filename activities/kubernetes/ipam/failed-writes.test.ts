import { beforeEach, describe, expect, test } from 'vitest';
import type { AddressTaskAnswer } from '../../../domain/ip-pool/action.ts';
import type { AddressTask } from '../../../domain/ip-pool/decide.ts';
import type { ClaimKind } from '../../../domain/ip-pool/names.ts';
import type { ClaimRef } from '../../../domain/ip-pool/snapshot.ts';
import { KubeError } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../../test/builders/objects-in-memory.ts';
import { type AddressActivities, createAddressActivities } from './addresses.ts';
import { ADDRESS_KINDS } from './claims.ts';

const POOL = { namespace: 'metal', name: 'lan', uid: 'pool-uid' };
const WEBHOOK_DOWN = new KubeError('a write', 500, { reason: 'InternalError', message: 'failed calling webhook "x"' });
const NO_ANSWER = new KubeError('a write', 0, { reason: 'Unreachable', message: 'ECONNREFUSED' });

let server: ObjectsInMemory;
let activities: AddressActivities;
beforeEach(async () => {
  server = objectsInMemory();
  activities = createAddressActivities({ kube: server.kube });
  const spec = { namePrefix: 'p', clusterName: 'blue', pools: [{ start: '10.0.0.1', end: '10.0.0.9' }] };
  await create(KINDS.ipPool, POOL.name, { uid: POOL.uid }, spec);
});

async function create(
  kind: (typeof KINDS)['ipPool'] | (typeof ADDRESS_KINDS)[ClaimKind]['claim'],
  name: string,
  metadata: object,
  spec: object,
) {
  const body = { metadata: { ...metadata, name, namespace: 'metal' }, spec };
  const path = collectionPath(kind, 'metal');
  return ((await server.kube.request({ method: 'POST', path, body })) as StoredObject).metadata;
}
async function aClaim(kind: ClaimKind, name: string): Promise<ClaimRef> {
  const pool = { name: POOL.name, kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
  const { uid } = await create(ADDRESS_KINDS[kind].claim, name, {}, { pool, poolRef: pool });
  return { kind, name, uid };
}
const give = (claim: ClaimRef, address: string): AddressTask => ({ kind: 'give', claim, allocation: { address } });
const settle = (...tasks: readonly AddressTask[]): Promise<readonly AddressTaskAnswer[]> =>
  activities.settleAddresses({ name: 'settle', pool: POOL, namePrefix: 'p', tasks });
/** From now on, writes to objects of this kind fail. */
function failWrites(kind: Parameters<typeof collectionPath>[0], error: KubeError): void {
  server.beforeWrite = (_, written) => {
    if (written.startsWith(collectionPath(kind, 'metal'))) throw error;
  };
}

describe('a webhook that fails for the claims of one kind', () => {
  test('does not keep those of the other kind from their addresses', async () => {
    const tasks = [
      give(await aClaim('IPAddressClaim', 'b'), '10.0.0.2'),
      give(await aClaim('IPClaim', 'a'), '10.0.0.1'),
    ];
    failWrites(KINDS.ipAddressClaim, WEBHOOK_DOWN);
    expect(await settle(...tasks)).toEqual([{ kind: 'refused', message: WEBHOOK_DOWN.words }, { kind: 'done' }]);
    const shown = server.all().get(objectPath(KINDS.ipClaim, { namespace: 'metal', name: 'a' }))?.status;
    expect(shown).toMatchObject({ address: { name: 'p-10-0-0-1' } });
    expect([...server.all().values()].map(({ metadata }) => metadata.name)).not.toContain('p-10-0-0-2');
  });

  test('does not have the work repeated at once when there is no other claim: a new one would wait for that', async () => {
    const task = give(await aClaim('IPAddressClaim', 'b'), '10.0.0.1');
    failWrites(KINDS.ipAddressClaim, WEBHOOK_DOWN);
    expect(await settle(task)).toEqual([{ kind: 'refused', message: WEBHOOK_DOWN.words }]);
  });
});

test('a webhook that fails for the pool delays its labels alone', async () => {
  failWrites(KINDS.ipPool, WEBHOOK_DOWN);
  const linked = activities.linkPool({ name: 'link', pool: POOL, cluster: 'blue' });
  await expect(linked).rejects.toMatchObject({ nonRetryable: true, message: WEBHOOK_DOWN.words });
});

test('an API server that does not answer is asked again for all claims', async () => {
  const task = give(await aClaim('IPClaim', 'a'), '10.0.0.1');
  failWrites(KINDS.ipClaim, NO_ANSWER);
  await expect(settle(task)).rejects.toMatchObject({ status: 0 });
});
