import { expect } from 'vitest';
import { createAddressActivities } from '../../activities/kubernetes/ipam/addresses.ts';
import { ADDRESS_KINDS } from '../../activities/kubernetes/ipam/claims.ts';
import { ipPoolEntity } from '../../domain/ip-pool/entity.ts';
import type { PoolMemory } from '../../domain/ip-pool/memory.ts';
import type { PoolSpec } from '../../domain/ip-pool/ranges.ts';
import type { PoolSnapshot } from '../../domain/ip-pool/snapshot.ts';
import { ipPoolBinding } from '../../k8s-bridge/bindings/ip-pool.ts';
import { KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { objectsInMemory, type StoredObject } from './objects-in-memory.ts';

export const NAMESPACE = 'metal';
export const POOL = 'lan';
export const CLAIM_KINDS = ['IPClaim', 'IPAddressClaim'] as const;
export const WATCHED = [
  KINDS.ipPool,
  KINDS.ipClaim,
  KINDS.ipAddress,
  KINDS.ipAddressClaim,
  KINDS.clusterIpAddress,
] as const;
/** A quota or a webhook refuses; a webhook is down; the answer is lost after the write, or nobody answers. */
export const FAILURES = [
  { status: 403, when: 'before' },
  { status: 500, when: 'before' },
  { status: 504, when: 'after' },
  { status: 0, when: 'after' },
] as const;
type Failure = (typeof FAILURES)[number];

/** An API server, a bridge whose watches may be late, and a run of the pool's workflow, which may be lost. */
export function aPoolWorld() {
  const server = objectsInMemory();
  let failing: (Failure & { readonly of: string }) | undefined;
  /** Writes to the failing collection fail, before or after they are done. */
  const answered = async (path: string, write: () => Promise<unknown>): Promise<unknown> => {
    const failure = path.startsWith(failing?.of ?? ' ') ? failing : undefined;
    if (failure?.when !== 'before') {
      const answer = await write();
      if (failure === undefined) return answer;
    }
    throw new KubeError(path, failure.status, { message: 'not today' });
  };
  const activities = createAddressActivities({
    kube: {
      ...server.kube,
      request: (call) =>
        (call.method ?? 'GET') === 'GET'
          ? server.kube.request(call)
          : answered(call.path, () => server.kube.request(call)),
      patch: (path, body) => answered(path, () => server.kube.patch(path, body)),
    },
  });
  const binding = ipPoolBinding({ stores: createStore(), lookLater: () => undefined, now: () => 0 });
  const pool = { namespace: NAMESPACE, name: POOL };
  let store: Store = createStore();
  let memory: PoolMemory | undefined;
  let now = 0;
  let restores = 0;

  const objectsOf = (kind: { readonly apiVersion: string; readonly plural: string }): readonly StoredObject[] =>
    [...server.all()]
      .filter(([path]) => path.startsWith(`${collectionPath(kind, NAMESPACE)}/`))
      .map(([, object]) => object);
  /** The watch of a kind has delivered everything. */
  const sync = (kind: (typeof WATCHED)[number]): void => {
    const there = new Map(objectsOf(kind).map((object) => [`${NAMESPACE}/${object.metadata.name}`, object]));
    for (const { namespace, name } of store.values(kind)) {
      if (!there.has(`${namespace}/${name}`)) store.remove(kind, `${namespace}/${name}`);
    }
    for (const object of there.values()) store.put(kind, { ...object.metadata, object });
  };
  const observe = (): void => {
    const entry = store.get(KINDS.ipPool, `${NAMESPACE}/${POOL}`);
    const seen = entry && binding.observe(entry, store, { written: undefined, now });
    if (seen === undefined || 'problems' in seen) return;
    const snapshot = { ...(seen as PoolSnapshot), versionsSince: restores };
    expect(ipPoolEntity.snapshot(snapshot, 'snapshot')).toBeUndefined();
    memory = memory === undefined ? ipPoolEntity.begin(snapshot) : ipPoolEntity.absorb(memory, snapshot);
  };
  /** One step of the run; `writes` is how many writes its activity gets through before its worker dies. */
  const step = async (writes = Number.POSITIVE_INFINITY): Promise<'acted' | 'rests'> => {
    if (memory === undefined) return 'rests';
    const before: PoolMemory = memory;
    const next = ipPoolEntity.nextStep(before, { now, shown: { finalizer: true } });
    if (next.kind !== 'act' || next.action.name !== 'settle') {
      if (next.kind === 'wait' && next.until !== undefined) now = next.until;
      return next.kind === 'wait' && next.until !== undefined ? 'acted' : 'rests';
    }
    let left = writes;
    server.beforeWrite = () => {
      left -= 1;
      if (left < 0) throw new Error('the worker has died');
    };
    const answer = await activities.settleAddresses(next.action).catch(() => undefined);
    server.beforeWrite = () => undefined;
    now += 1;
    if (answer !== undefined)
      memory = ipPoolEntity.record(before, next.action, { kind: 'done', answer }, { now, dice: 0, before });
    return 'acted';
  };
  const claims = () =>
    CLAIM_KINDS.flatMap((kind) => objectsOf(ADDRESS_KINDS[kind].claim).map((object) => ({ ...object, kind })));
  const addresses = () =>
    CLAIM_KINDS.flatMap((kind) => objectsOf(ADDRESS_KINDS[kind].address).map((object) => ({ ...object, kind }))).filter(
      ({ spec = {} }) => ((spec['pool'] ?? spec['poolRef']) as { name: string }).name === POOL,
    );
  const shownBy = (claim: ReturnType<typeof claims>[number]): string | undefined =>
    ((claim.status?.['address'] ?? claim.status?.['addressRef']) as { name: string } | undefined)?.name;

  return {
    server,
    claims,
    addresses,
    shownBy,
    sync,
    observe,
    step,
    get spec() {
      return server.all().get(objectPath(KINDS.ipPool, pool))?.spec as unknown as PoolSpec;
    },
    put: (
      kind: { readonly apiVersion: string; readonly plural: string; readonly kind: string },
      name: string,
      rest: object,
    ) =>
      server.kube
        .request({
          method: 'POST',
          path: collectionPath(kind, NAMESPACE),
          body: {
            apiVersion: kind.apiVersion,
            kind: kind.kind,
            ...rest,
            metadata: { ...(rest as StoredObject).metadata, name, namespace: NAMESPACE },
          },
        })
        .catch(() => undefined),
    change: (kind: { readonly apiVersion: string; readonly plural: string }, name: string, patch: object) =>
      server.kube.patch(objectPath(kind, { namespace: NAMESPACE, name }), patch).catch(() => undefined),
    remove: (kind: { readonly apiVersion: string; readonly plural: string }, name: string) =>
      server.kube
        .request({ method: 'DELETE', path: objectPath(kind, { namespace: NAMESPACE, name }) })
        .catch(() => undefined),
    lose: () => void (memory = undefined),
    /** One step of the run in which writes to objects of this kind fail. */
    async stepWhile(failure: Failure, kind: { readonly apiVersion: string; readonly plural: string }) {
      failing = { ...failure, of: collectionPath(kind, NAMESPACE) };
      await step();
      failing = undefined;
    },
    /** etcd is what it was: the next bridge lists everything. */
    restore(objects: ReadonlyMap<string, StoredObject>) {
      const all = server.all() as Map<string, StoredObject>;
      all.clear();
      for (const [path, object] of objects) all.set(path, object);
      restores += 1;
      store = createStore();
      for (const kind of WATCHED) sync(kind);
    },
    async settle() {
      for (let rests = 0, steps = 0; rests < 3; steps += 1) {
        if (steps > 500) throw new Error('the pool does not come to rest');
        for (const kind of WATCHED) sync(kind);
        observe();
        rests = (await step()) === 'rests' ? rests + 1 : 0;
      }
    },
  };
}
export type PoolWorld = ReturnType<typeof aPoolWorld>;
