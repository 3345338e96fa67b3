import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { backUp, putBack, removeDatabase, whileDown } from './support/databases.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { NAMESPACE } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import { type AnyObject, create, expectGone, get, KINDS, list, PATIENCE, patch, remove } from './support/machines.ts';

/** Pools go on after a backup of etcd, which is then put back; everything that was given since is unknown again. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await aFixtureLab();
  await serveClusterApi(lab.kube);
  await serveKinds(lab.kube, [KINDS.ipAddressClaim, KINDS.clusterIpAddress]);
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('bridge');
});
afterAll(() => lab?.stop());

type ClaimKind = 'ipClaim' | 'ipAddressClaim';
/** Every third claim is one of Cluster API. */
const kindOf = (name: string): ClaimKind => (Number(name.split('-').at(-1)) % 3 === 0 ? 'ipAddressClaim' : 'ipClaim');

const claim = (pool: string, name: string, metadata: object = {}): Promise<unknown> => {
  const poolRef = { apiGroup: 'ipam.metal3.io', kind: 'IPPool', name: pool };
  const spec = kindOf(name) === 'ipClaim' ? { pool: { name: pool } } : { clusterName: 'blue', poolRef };
  return create(lab, kindOf(name), name, { metadata, spec });
};
const leave = (name: string): Promise<unknown> => remove(lab, kindOf(name), name);
const named = (group: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${group}-${at}`);

const shown = z.object({
  address: z.object({ name: z.string() }).optional(),
  addressRef: z.object({ name: z.string() }).optional(),
});
/** Name of the IPAddress that a claim shows. */
function shownBy({ status }: AnyObject): string | undefined {
  const { address, addressRef } = shown.parse(status);
  return (address ?? addressRef)?.name;
}

const ofPool = z.looseObject({
  address: z.string(),
  pool: z.object({ name: z.string() }).optional(),
  poolRef: z.object({ name: z.string() }).optional(),
});
const claimIn = z.object({
  claim: z.object({ name: z.string() }).optional(),
  claimRef: z.object({ name: z.string() }).optional(),
});

/**
 * The addresses of a pool by the names of their claims. Throws when two IPAddresses have the same address or the same
 * claim, and when a claim shows one that is not its own.
 */
async function given(pool: string): Promise<Readonly<Record<string, string>>> {
  const [claims, addresses] = await Promise.all([
    Promise.all((['ipClaim', 'ipAddressClaim'] as const).map((kind) => list(lab, kind))),
    Promise.all((['ipAddress', 'clusterIpAddress'] as const).map((kind) => list(lab, kind))),
  ]);
  const own = addresses.flat().flatMap(({ metadata, spec }) => {
    const { address, pool: of, poolRef } = ofPool.parse(spec);
    const { claim: by, claimRef } = claimIn.parse(spec);
    return (of ?? poolRef)?.name === pool
      ? [{ name: metadata.name, address, claim: (by ?? claimRef)?.name ?? '' }]
      : [];
  });
  for (const key of ['address', 'claim'] as const) {
    expect(own.map((each) => each[key]).filter((value, at, all) => all.indexOf(value) !== at)).toEqual([]);
  }
  for (const each of claims.flat()) {
    const address = shownBy(each);
    if (address?.startsWith(`${pool}-`) !== true) continue;
    expect([address, own.find(({ name }) => name === address)?.claim]).toEqual([address, each.metadata.name]);
  }
  return Object.fromEntries(own.map(({ claim: name, address }) => [name, address]));
}
const served = (pool: string) => expect.poll(async () => Object.keys(await given(pool)).toSorted(), PATIENCE);
const addresses = (base: string, ...last: readonly number[]): ReadonlySet<string> =>
  new Set(last.map((at) => `${base}.${at}`));
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** The pool's status, and what each claim shows, is what its IPAddresses say. */
async function isShown(pool: string, names: readonly string[]): Promise<void> {
  await served(pool).toEqual(names.toSorted());
  await expect
    .poll(async () => (await get(lab, 'ipPool', pool))?.status['indexes'], PATIENCE)
    .toEqual(await given(pool));
  for (const name of names) {
    await expect
      .poll(async () => shownBy((await get(lab, kindOf(name), name)) as AnyObject), PATIENCE)
      .toEqual(`${pool}-${(await given(pool))[name]?.replaceAll('.', '-')}`);
  }
}

const RESTORES = [
  ['etcd alone', 'first', () => putBack(lab, 'first', ['etcd'])],
  [
    'etcd, and Temporal’s database is lost with it',
    'second',
    () =>
      whileDown(lab, ['temporal'], async () => {
        await removeDatabase(lab, 'temporal');
        await putBack(lab, 'second', ['etcd']);
      }),
  ],
  ['etcd and Temporal’s database, of the same time', 'third', () => putBack(lab, 'third', ['etcd', 'temporal'])],
] as const;

describe('a pool whose claims came and went after the backup gives no address twice when it is put back:', () => {
  test.each(RESTORES)('%s', async (_, pool, restore) => {
    const base = `10.${RESTORES.findIndex(([, name]) => name === pool) + 1}.0`;
    const pools = [{ start: `${base}.1`, end: `${base}.40` }];
    const [early, late, next] = [named(`${pool}-early`, 12), named(`${pool}-late`, 12), named(`${pool}-next`, 12)];
    await create(lab, 'ipPool', pool, { spec: { namePrefix: pool, pools } });
    await Promise.all(early.map((name) => claim(pool, name)));
    await isShown(pool, early);
    const before = await given(pool);
    await backUp(lab, pool, ['etcd', 'temporal']);

    await Promise.all(early.slice(0, 6).map(leave));
    await served(pool).toEqual(early.slice(6).toSorted());
    await Promise.all(late.map((name) => claim(pool, name)));
    await isShown(pool, [...early.slice(6), ...late]);

    // As the procedure says: processes that go on have runs in memory that are newer than Temporal's copy.
    for (const each of ['bridge', 'workers']) await lab.kill(each, 'SIGKILL');
    await restore();
    for (const each of ['workers', 'bridge']) await lab.start(each);

    await Promise.all(next.map((name) => claim(pool, name)));
    await isShown(pool, [...early, ...next]);
    expect(await given(pool)).toMatchObject(before);
    expect(new Set(Object.values(await given(pool)))).toEqual(addresses(base, ...range(1, 24)));

    await Promise.all(early.map(leave));
    await isShown(pool, next);
    for (const name of early) await expectGone(lab, kindOf(name), name);
    await Promise.all(late.map((name) => claim(pool, name)));
    await isShown(pool, [...next, ...late]);
    expect(new Set(Object.values(await given(pool)))).toEqual(addresses(base, ...range(1, 24)));
  });
});

describe('addresses that were given after the backup', () => {
  test('are not given again when they are reserved before a worker runs', async () => {
    const pool = 'reserved';
    const [early, late, next] = [named('reserved-early', 3), named('reserved-late', 4), named('reserved-next', 4)];
    const pools = [{ start: '10.8.0.1', end: '10.8.0.20' }];
    await create(lab, 'ipPool', pool, { spec: { namePrefix: pool, pools } });
    await Promise.all(early.map((name) => claim(pool, name)));
    await isShown(pool, early);
    await backUp(lab, pool, ['etcd']);
    await Promise.all(late.map((name) => claim(pool, name)));
    await isShown(pool, [...early, ...late]);
    const before = await given(pool);
    const used = late.map((name) => before[name] ?? '');

    await lab.kill('workers', 'SIGKILL');
    await putBack(lab, pool, ['etcd']);
    for (const address of used) {
      const holder = { name: `in-use-${address.replaceAll('.', '-')}`, namespace: NAMESPACE };
      const spec = { address, pool: { name: pool, namespace: NAMESPACE }, claim: holder };
      await create(lab, 'ipAddress', holder.name, { spec });
    }
    await lab.start('workers');

    await Promise.all(next.map((name) => claim(pool, name)));
    const hasAll = async (): Promise<readonly string[]> => {
      const all = await given(pool);
      return next.filter((name) => all[name] === undefined);
    };
    await expect.poll(hasAll, PATIENCE).toEqual([]);
    const after = await given(pool);
    expect(used.filter((address) => next.some((name) => after[name] === address))).toEqual([]);
    for (const name of early) expect(after[name]).toBe(before[name]);
  });
});

describe('a run that has seen more than etcd has after it was put back', () => {
  const POOL = 'known';
  const [elsewhere, leaving, waiting] = ['known-0', 'known-1', 'known-2'];
  const poolRun = () => entityWorkflowId('IPPool', { namespace: NAMESPACE, name: POOL });

  /** Snapshots that the run has got, and activities that have ended, in their order. */
  const history = (): Promise<readonly string[]> =>
    withTemporal(lab, async (client) => {
      const { events } = await client.workflow.getHandle(poolRun()).fetchHistory();
      return (events ?? []).flatMap((event) => {
        const [snapshot] = event.workflowExecutionSignaledEventAttributes?.input?.payloads ?? [];
        if (snapshot?.data) return [Buffer.from(snapshot.data).toString('utf8')];
        return event.activityTaskCompletedEventAttributes ? ['an activity has ended'] : [];
      });
    });
  const lastSnapshot = async (): Promise<number> => (await history()).findLastIndex((event) => event.startsWith('{'));

  test('takes no address from a claim that is not being deleted there, and gives none that is taken there', async () => {
    const pools = [{ start: '10.9.0.1', end: '10.9.0.3' }];
    await create(lab, 'ipPool', POOL, { spec: { namePrefix: POOL, pools } });
    for (const name of [elsewhere, leaving]) {
      await claim(POOL, name);
      await expect.poll(() => given(POOL), PATIENCE).toHaveProperty(name);
    }
    await claim(POOL, waiting, { annotations: { ipAddress: '10.99.0.1' } });
    const told = 'Exhausted IP Pools';
    const message = async () => (await get(lab, 'ipClaim', waiting))?.status['errorMessage'];
    await expect.poll(message, PATIENCE).toBe(told);
    const before = { [elsewhere]: '10.9.0.1', [leaving]: '10.9.0.2' };
    expect(await given(POOL)).toEqual(before);
    await backUp(lab, POOL, ['etcd']);

    await leave(elsewhere);
    await expectGone(lab, 'ipAddressClaim', elsewhere);
    await lab.kill('workers', 'SIGKILL');
    await leave(leaving);
    await patch(lab, 'ipClaim', waiting, { metadata: { annotations: { ipAddress: '10.9.0.1' } } });
    const open = async (): Promise<readonly unknown[]> => {
      const snapshot = z.object({ claims: z.array(z.looseObject({ name: z.string() })) });
      const [seen] = (await history()).slice(await lastSnapshot());
      const { snapshot: last } = z.object({ snapshot }).parse(JSON.parse(seen ?? '{}'));
      return last.claims.map(({ name, deleting, requested }) => ({ name, deleting, requested }));
    };
    await expect.poll(open, PATIENCE).toEqual([
      { name: leaving, deleting: true, requested: undefined },
      { name: waiting, deleting: false, requested: '10.9.0.1' },
    ]);
    await lab.kill('bridge', 'SIGKILL');
    const seen = await lastSnapshot();

    await putBack(lab, POOL, ['etcd']);
    await lab.start('workers');
    await expect.poll(async () => (await history()).length, PATIENCE).toBeGreaterThan(seen + 1);

    expect(await given(POOL)).toEqual(before);
    expect((await get(lab, 'ipClaim', leaving))?.metadata.finalizers).toEqual(['ipclaim.ipam.metal3.io']);
    await lab.start('bridge');
    await expect.poll(message, PATIENCE).toBe(told);
    await patch(lab, 'ipClaim', waiting, { metadata: { annotations: { ipAddress: null } } });
    await isShown(POOL, [elsewhere, leaving, waiting]);
    expect(await given(POOL)).toEqual({ ...before, [waiting]: '10.9.0.3' });
    await leave(leaving);
    await isShown(POOL, [elsewhere, waiting]);
  });
});
