import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KubeError } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { keyOf } from '../../kube/reflector.ts';
import { createStore, type Entry, type Store } from '../../kube/store.ts';
import { type ObjectsInMemory, objectsInMemory, type StoredObject } from '../../test/builders/objects-in-memory.ts';
import { createAnnounce } from '../publish/announce.ts';
import { createMissingPools, type MissingPools } from './missing-pools.ts';

const namespace = 'metal';
const MESSAGE = 'IPPool metal/lan does not exist. The claim gets an address when somebody creates it';
const FILTER = 'cluster.x-k8s.io/watch-filter';
const CLAIMS = { IPClaim: KINDS.ipClaim, IPAddressClaim: KINDS.ipAddressClaim } as const;

let server: ObjectsInMemory;
let store: Store;
let pools: MissingPools;
let writes: string[];
beforeEach(() => {
  server = objectsInMemory();
  writes = [];
  server.beforeWrite = (method, path) => void writes.push(`${method} ${path.split('/').slice(-2).join('/')}`);
  begin();
});
afterEach(() => pools.stop());

/** A bridge that has listed nothing yet. */
function begin(watchFilter = ''): void {
  store = createStore();
  const [log, now] = [pino({ level: 'silent' }), () => Date.parse('2026-01-01T12:00:00Z')];
  const announce = createAnnounce({ kube: server.kube, log, now });
  pools = createMissingPools({ kube: server.kube, store, announce, watchFilter, log, now });
}

const entryOf = (object: StoredObject): Entry => ({ ...object.metadata, object });
const stored = (kind: FollowedKind, name: string): StoredObject | undefined =>
  server.all().get(objectPath(kind, { namespace, name }));
/** The watch delivers the object as it is now. */
const deliver = (kind: FollowedKind, name: string): void => {
  const object = stored(kind, name);
  if (object === undefined) store.remove(kind, keyOf({ namespace, name }));
  else store.put(kind, entryOf(object));
};
async function create(kind: FollowedKind, name: string, body: object): Promise<void> {
  const { metadata, ...rest } = { metadata: {}, ...body };
  const { apiVersion } = kind;
  const object = { apiVersion, kind: kind.kind, ...rest, metadata: { name, ...metadata } };
  await server.kube.request({ method: 'POST', path: collectionPath(kind, namespace), body: object });
  writes = [];
}
async function aClaim(kind: keyof typeof CLAIMS, name: string, pool = 'lan', more: object = {}): Promise<void> {
  const spec =
    kind === 'IPClaim'
      ? { pool: { name: pool } }
      : { clusterName: 'prod', poolRef: { name: pool, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } };
  await create(CLAIMS[kind], name, { spec, ...more });
  deliver(CLAIMS[kind], name);
}
const aPool = (name: string): Promise<void> => create(KINDS.ipPool, name, { spec: { namePrefix: name } });
/** `claim: message`, sorted. */
const reported = (): readonly string[] =>
  [...server.all().values()]
    .flatMap((object) => {
      const { involvedObject: of, message, reason, type } = object as unknown as Readonly<Record<string, unknown>>;
      if (of === undefined) return [];
      const { kind, name } = of as { readonly kind: string; readonly name: string };
      return [`${String(type)} ${kind} ${name}: ${String(reason)}: ${String(message)}`];
    })
    .toSorted();
const warnings = (...claims: readonly string[]): readonly string[] =>
  claims.map((claim) => `Warning ${claim}: PoolNotReady: ${MESSAGE}`).toSorted();
const statusOf = (kind: keyof typeof CLAIMS, name: string) => stored(CLAIMS[kind], name)?.status;

describe('a claim whose pool does not exist', () => {
  test('has an Event, and one of Cluster API the condition Ready, with a reason that does not end its wait', async () => {
    pools.serve();
    await aClaim('IPClaim', 'a');
    await aClaim('IPAddressClaim', 'b');
    await expect.poll(reported).toEqual(warnings('IPClaim a', 'IPAddressClaim b'));
    expect(statusOf('IPClaim', 'a')).toBeUndefined();
    const ready = { type: 'Ready', status: 'False', reason: 'PoolNotReady', message: MESSAGE };
    expect(statusOf('IPAddressClaim', 'b')).toEqual({
      conditions: [{ ...ready, lastTransitionTime: '2026-01-01T12:00:00Z', observedGeneration: 1 }],
    });
  });

  test('is told once, however often it or another claim changes, and not again by the next bridge', async () => {
    pools.serve();
    await aClaim('IPAddressClaim', 'a');
    await expect.poll(reported).toEqual(warnings('IPAddressClaim a'));
    deliver(KINDS.ipAddressClaim, 'a');
    await aClaim('IPAddressClaim', 'b');
    await expect.poll(reported).toEqual(warnings('IPAddressClaim a', 'IPAddressClaim b'));
    expect(writes).toEqual(['PATCH b/status', 'POST metal/events']);

    begin();
    for (const name of ['a', 'b']) deliver(KINDS.ipAddressClaim, name);
    pools.serve();
    await aClaim('IPAddressClaim', 'c');
    await expect.poll(reported).toEqual(warnings('IPAddressClaim a', 'IPAddressClaim b', 'IPAddressClaim c'));
    expect(writes).toEqual(['PATCH c/status', 'POST metal/events']);
  });

  test('that was created while no bridge ran is told by the next one', async () => {
    await aClaim('IPClaim', 'a');
    pools.serve();
    await expect.poll(reported).toEqual(warnings('IPClaim a'));
  });

  test('is told when its pool is deleted', async () => {
    pools.serve();
    await aPool('lan');
    deliver(KINDS.ipPool, 'lan');
    await aClaim('IPClaim', 'a');
    await server.kube.request({
      method: 'DELETE',
      path: objectPath(KINDS.ipPool, { namespace, name: 'lan' }),
    });
    deliver(KINDS.ipPool, 'lan');
    await expect.poll(reported).toEqual(warnings('IPClaim a'));
  });

  test('keeps conditions of others, and is told later when its status cannot be written now', async () => {
    pools.serve();
    const others = {
      type: 'Other',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    let failures = 0;
    server.beforeWrite = (method, path) => {
      if (method === 'PATCH' && failures++ === 0) throw new KubeError(path, 409, { reason: 'Conflict', message: '' });
    };
    await aClaim('IPAddressClaim', 'a', 'lan', { status: { conditions: [others] } });
    await expect.poll(reported).toEqual(warnings('IPAddressClaim a'));
    expect(statusOf('IPAddressClaim', 'a')).toMatchObject({ conditions: [{ type: 'Ready' }, others] });
  });

  test.each<[string, object]>([
    ['has an address', { status: { address: { name: 'lan-10-0-0-1' } } }],
    ['is being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.b/c'] } }],
    ['is paused', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }],
  ])('and that %s is left alone', async (_, more) => {
    pools.serve();
    await aClaim('IPClaim', 'a', 'lan', more);
    await aClaim('IPClaim', 'b');
    await expect.poll(reported).toEqual(warnings('IPClaim b'));
  });

  test('and that lacks the label of --watch-filter is left to others', async () => {
    begin('ours');
    pools.serve();
    await aClaim('IPClaim', 'a');
    await aClaim('IPClaim', 'b', 'lan', { metadata: { labels: { [FILTER]: 'ours' } } });
    await expect.poll(reported).toEqual(warnings('IPClaim b'));
  });
});

describe('a pool that exists', () => {
  test('is not missing while its watch is late', async () => {
    pools.serve();
    await aPool('wan');
    await aClaim('IPClaim', 'a', 'wan');
    await aClaim('IPClaim', 'b');
    await expect.poll(reported).toEqual(warnings('IPClaim b'));
  });

  test('leaves nothing in memory of the time in which it was missing, nor do claims that are gone', async () => {
    pools.serve();
    await aClaim('IPClaim', 'a');
    await aClaim('IPClaim', 'b', 'wan');
    await expect.poll(() => [reported().length, pools.size]).toEqual([2, 2]);
    await aPool('lan');
    deliver(KINDS.ipPool, 'lan');
    await server.kube.request({ method: 'DELETE', path: objectPath(KINDS.ipClaim, { namespace, name: 'b' }) });
    deliver(KINDS.ipClaim, 'b');
    await expect.poll(() => pools.size).toBe(0);
  });
});
