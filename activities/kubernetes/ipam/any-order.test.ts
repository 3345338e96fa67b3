import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADDRESS_FINALIZERS } from '../../../api/ipam/kind.ts';
import { parseAddress } from '../../../domain/ip-pool/address.ts';
import { addressName, type ClaimKind } from '../../../domain/ip-pool/names.ts';
import { intervalOf, type PoolSpec } from '../../../domain/ip-pool/ranges.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { objectPath } from '../../../kube/paths.ts';
import type { StoredObject } from '../../../test/builders/objects-in-memory.ts';
import {
  aPoolWorld,
  CLAIM_KINDS,
  FAILURES,
  NAMESPACE,
  POOL,
  type PoolWorld,
  WATCHED,
} from '../../../test/builders/pool-world.ts';
import { ADDRESS_KINDS } from './claims.ts';

const SPECS: readonly PoolSpec[] = [
  { pools: [{ start: '10.0.0.1', end: '10.0.0.4' }] },
  { pools: [{ subnet: '10.0.0.0/30' }, { start: '10.0.0.4', end: '10.0.0.7' }] },
  { pools: [{ start: '10.0.0.3', end: '10.0.0.3' }] },
  { pools: [{ subnet: 'fd00::/126' }, { start: '10.0.0.1', end: '10.0.0.2' }], allocationStrategy: 'random' as const },
].map((spec) => ({ allocationStrategy: 'sequential' as const, ...spec, namePrefix: 'p' }));
/** The finalizer of a Metal3Data, or of another user, on a claim: the address is in use until this finalizer is gone. */
const USER = 'example.com/user';
const PREALLOCATIONS = [{}, { c1: '10.0.0.3' }, { c1: '10.0.0.1', c2: '10.0.0.9' }];

const claimBody = (kind: ClaimKind, requested: string | undefined): object => ({
  metadata: { finalizers: [USER], ...(requested !== undefined && { annotations: { ipAddress: requested } }) },
  spec:
    kind === 'IPClaim'
      ? { pool: { name: POOL } }
      : { poolRef: { name: POOL, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } },
});

const finalizersOf = ({ metadata }: StoredObject): readonly string[] =>
  (metadata as { readonly finalizers?: readonly string[] }).finalizers ?? [];
const isInUse = (claim: StoredObject): boolean =>
  claim.metadata.deletionTimestamp === undefined || finalizersOf(claim).includes(USER);

/** A change of the pool's metadata. */
const pausing = (isPaused: boolean): object => ({
  metadata: { annotations: { 'cluster.x-k8s.io/paused': isPaused ? '' : null } },
});

type Move = (world: PoolWorld, backups: Map<string, StoredObject>[]) => unknown;
const named = (label: string, move: Move): Move =>
  Object.assign(move, { toString: () => label, [fc.toStringMethod]: () => label });
const claimKind = fc.constantFrom(...CLAIM_KINDS);
const claimName = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6');
const requested = fc.option(fc.constantFrom('10.0.0.2', '10.0.0.9', 'nonsense'), { nil: undefined, freq: 4 });

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(claimKind, claimName, requested)
      .map(([kind, name, wanted]) =>
        named(`claim ${kind} ${name} ${wanted ?? ''}`, ({ put }) =>
          put(ADDRESS_KINDS[kind].claim, name, claimBody(kind, wanted)),
        ),
      ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(claimKind, claimName)
      .map(([kind, name]) => named(`delete ${kind} ${name}`, ({ remove }) => remove(ADDRESS_KINDS[kind].claim, name))),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...WATCHED)
      .map((kind) => named(`sync ${kind.apiVersion} ${kind.kind}`, ({ sync }) => sync(kind))),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(claimKind, claimName).map(([kind, name]) =>
      named(`let go ${kind} ${name}`, ({ server, change }) => {
        const { claim } = ADDRESS_KINDS[kind];
        const found = server.all().get(objectPath(claim, { namespace: NAMESPACE, name }));
        const finalizers = found && finalizersOf(found).filter((each) => each !== USER);
        return finalizers && change(claim, name, { metadata: { finalizers } });
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .boolean()
      .map((paused) => named(`paused: ${paused}`, ({ change }) => change(KINDS.ipPool, POOL, pausing(paused)))),
  },
  { weight: 5, arbitrary: fc.constant(named('observe', ({ observe }) => observe())) },
  { weight: 6, arbitrary: fc.constant(named('step', ({ step }) => step())) },
  { weight: 2, arbitrary: fc.nat(8).map((writes) => named(`die after ${writes}`, ({ step }) => step(writes))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...FAILURES), fc.constantFrom(...WATCHED))
      .map(([failure, kind]) =>
        named(`answer ${failure.status} ${failure.when} writes of ${kind.apiVersion} ${kind.kind}`, (one) =>
          one.stepWhile(failure, kind),
        ),
      ),
  },
  { weight: 1, arbitrary: fc.constant(named('lose', ({ lose }) => lose())) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...SPECS), fc.constantFrom(...PREALLOCATIONS))
      .map(([spec, preAllocations]) =>
        named(`pool ${JSON.stringify(spec)} ${JSON.stringify(preAllocations)}`, ({ change }) =>
          change(KINDS.ipPool, POOL, { spec: { ...spec, preAllocations: { c1: null, c2: null, ...preAllocations } } }),
        ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(claimKind, fc.constantFrom('10.0.0.1', '10.0.0.3'))
      .map(([kind, address]) =>
        named(`delete address ${kind} ${address}`, ({ remove }) =>
          remove(ADDRESS_KINDS[kind].address, addressName('p', parseAddress(address) ?? 0n)),
        ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('10.0.0.2', '10.0.0.4').map((address) =>
      named(`foreign ${address}`, ({ put }) =>
        put(KINDS.ipAddress, addressName('p', parseAddress(address) ?? 0n), {
          spec: { address, pool: { name: 'other' }, claim: { name: 'c1' } },
        }),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.constant(named('backup', ({ server }, backups) => backups.push(new Map(server.all())))) },
  {
    weight: 1,
    arbitrary: fc.constant(
      named('restore', (one, backups) => {
        const backup = backups.pop();
        if (backup !== undefined) one.restore(backup);
      }),
    ),
  },
);

/** A change that the run has seen, and acts on when etcd has been put back to the time before it. */
const overtaken = fc.tuple(claimKind, claimName, fc.boolean()).map(([kind, name, isDeletion]) =>
  named(`${isDeletion ? 'delete' : 'claim'} ${kind} ${name} and restore`, async (one) => {
    const backup = new Map(one.server.all());
    const { claim } = ADDRESS_KINDS[kind];
    await (isDeletion ? one.remove(claim, name) : one.put(claim, name, claimBody(kind, undefined)));
    for (const each of WATCHED) one.sync(each);
    one.observe();
    one.restore(backup);
    await one.step();
  }),
);

/** Claims never share an address, and show only what belongs to them. */
function expectNoSharing({ claims, addresses, shownBy }: PoolWorld): void {
  const objects = new Map(addresses().map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  const shown = claims().flatMap((claim) => {
    const name = shownBy(claim);
    // Nobody uses the address of a claim that waits for us alone.
    if (name === undefined || !isInUse(claim)) return [];
    const object = objects.get(`${claim.kind}/${name}`);
    expect(object?.spec).toMatchObject(
      claim.kind === 'IPClaim' ? { claim: { name: claim.metadata.name } } : { claimRef: { name: claim.metadata.name } },
    );
    return [String(object?.spec?.['address'])];
  });
  expect(new Set(shown).size, shown.join(' ')).toBe(shown.length);
}

/** Every address belongs to a claim that shows it; every claim has one, or none is left for it. */
function expectNothingLeft(world: PoolWorld): void {
  const { claims, addresses, shownBy, spec, server } = world;
  const values = addresses().map((address) => String(address.spec?.['address']));
  expect(new Set(values).size).toBe(values.length);
  const used = new Set(claims().map((claim) => `${claim.kind}/${shownBy(claim) ?? ''}`));
  for (const address of addresses()) expect(used).toContain(`${address.kind}/${address.metadata.name}`);
  const reserved = Object.values((spec as unknown as { preAllocations?: Record<string, string> }).preAllocations ?? {});
  const foreign = [...server.all().values()]
    .filter(({ kind }) => kind === 'IPAddress')
    .map((each) => String(each.spec?.['address']));
  const taken = new Set([...values, ...reserved, ...foreign].map((text) => parseAddress(text)));
  const isFull = (spec.pools ?? []).every((entry) => {
    const { first, last } = intervalOf(entry) ?? { first: 1n, last: 0n };
    for (let each = first; each <= last; each += 1n) if (!taken.has(each)) return false;
    return true;
  });
  for (const claim of claims()) {
    expect(isInUse(claim), 'a claim that nobody uses is left').toBe(true);
    if (claim.metadata.deletionTimestamp !== undefined) continue;
    if (shownBy(claim) !== undefined) continue;
    const conditions = claim.status?.['conditions'] as readonly { readonly message: string }[] | undefined;
    const message = claim.status?.['errorMessage'] ?? conditions?.[0]?.message;
    expect(message).toEqual(expect.any(String));
    const isPlain = (claim.metadata as { annotations?: object }).annotations === undefined;
    expect(message !== 'Exhausted IP Pools' || !isPlain || isFull, 'a claim is left although an address is free').toBe(
      true,
    );
  }
}

describe('the addresses of a pool', () => {
  test('are given once and returned, in any order of claims, deletions, releases, pauses, losses, refusals and changes of the pool', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 40, arbitrary: moves }, { weight: 3, arbitrary: overtaken }), {
          minLength: 20,
          maxLength: 120,
        }),
        async (all) => {
          const one = aPoolWorld();
          const backups: Map<string, StoredObject>[] = [];
          await one.put(KINDS.ipPool, POOL, { spec: { ...SPECS[0], preAllocations: {} } });
          for (const move of all) {
            await move(one, backups);
            expectNoSharing(one);
          }
          await one.change(KINDS.ipPool, POOL, pausing(false));
          await one.settle();
          expectNoSharing(one);
          expectNothingLeft(one);
        },
      ),
      { numRuns: Number(process.env['TEMPER_POOL_RUNS'] ?? 400), seed: Number(process.env['TEMPER_POOL_SEED'] ?? 7) },
    );
  });
});

describe('very many claims', () => {
  const COUNT = 2_000;

  test('of one pool all get an address of their own', async () => {
    const one = aPoolWorld();
    const spec = { pools: [{ subnet: '10.0.0.0/16' }], namePrefix: 'p', allocationStrategy: 'sequential' };
    await one.put(KINDS.ipPool, POOL, { spec });
    for (let at = 0; at < COUNT; at += 1) await one.put(KINDS.ipClaim, `c${at}`, claimBody('IPClaim', undefined));
    await one.settle();
    expectNoSharing(one);
    expect(one.claims().filter((claim) => one.shownBy(claim) !== undefined)).toHaveLength(COUNT);
    expect(one.server.all().has(objectPath(KINDS.ipAddress, { namespace: NAMESPACE, name: 'p-10-0-7-208' }))).toBe(
      true,
    );
    expect(one.claims()[0]?.metadata.finalizers).toEqual([USER, ADDRESS_FINALIZERS.IPClaim.claim]);
  });
});
