import { describe, expect, test } from 'vitest';
import { anOpenClaim as aClaim, aPool } from '../../test/builders/ip-pool.ts';
import { begin } from '../allocation/memory.ts';
import type { Outcome } from '../entity/entity.ts';
import type { AddressTaskAnswer, PoolAction, PoolAnswer } from './action.ts';
import type { AddressTask } from './decide.ts';
import { ipPoolEntity } from './entity.ts';
import { absorb, type PoolMemory } from './memory.ts';
import { NOT_CREATED, NOT_DELETED } from './names.ts';

const AT = { now: 1_000, dice: 0 };
const EXHAUSTED = 'Exhausted IP Pools';

const ref = (name: string) => ({ kind: 'IPClaim', name, uid: `${name}-uid` }) as const;
const give = (name: string, address: string): AddressTask => ({
  kind: 'give',
  claim: ref(name),
  allocation: { address },
});

const step = (memory: PoolMemory, now = AT.now) => ipPoolEntity.nextStep(memory, { now, shown: { finalizer: true } });
const tasksOf = (memory: PoolMemory, now?: number): readonly AddressTask[] => {
  const next = step(memory, now);
  return next.kind === 'act' && next.action.name === 'settle' ? next.action.tasks : [];
};
const settling = (tasks: readonly AddressTask[]): PoolAction => ({
  name: 'settle',
  pool: { namespace: 'metal', name: 'lan', uid: 'pool-uid' },
  namePrefix: 'p',
  tasks,
});
const ended = (before: PoolMemory, action: PoolAction, outcome: Outcome<PoolAnswer>, memory = before): PoolMemory =>
  ipPoolEntity.record(memory, action, outcome, { ...AT, before });
/** After all tasks of a memory were answered like this. */
const after = (memory: PoolMemory, ...answer: readonly AddressTaskAnswer[]): PoolMemory =>
  ended(memory, settling(tasksOf(memory)), { kind: 'done', answer });
const DONE: AddressTaskAnswer = { kind: 'done' };

describe('an IPPool', () => {
  test('is held before anything is done for it', () => {
    const memory = begin(aPool({ claims: [aClaim('a')] }));
    expect(ipPoolEntity.nextStep(memory, { now: 0, shown: null })).toEqual({ kind: 'show' });
    expect(ipPoolEntity.show(memory)).toEqual({ finalizer: true, status: {}, timed: true });
  });

  test('gives addresses to all claims at once, and tells the others why they get none', () => {
    const claims = ['a', 'b', 'c'].map((name) => aClaim(name));
    const memory = begin(aPool({ claims, inUse: ['10.0.0.2'] }));
    const refused = { kind: 'refuse', claim: ref('c'), reason: 'PoolExhausted', message: EXHAUSTED };
    expect(step(memory)).toEqual({
      kind: 'act',
      action: settling([give('a', '10.0.0.1'), give('b', '10.0.0.3'), refused as AddressTask]),
    });
    expect(tasksOf(after(memory, DONE, DONE, DONE))).toEqual([]);
  });

  test('does not give an address again whose IPAddress the bridge has not seen yet', () => {
    const given = after(begin(aPool({ claims: [aClaim('a')] })), DONE);
    const next = absorb(given, aPool({ claims: [aClaim('a'), aClaim('b')] }));
    expect(tasksOf(next)).toEqual([give('b', '10.0.0.2')]);
    const seen = absorb(next, aPool({ claims: [aClaim('b')], inUse: ['10.0.0.1'], addresses: 1 }));
    expect(seen.allocated).toEqual([]);
    expect(tasksOf(seen)).toEqual([give('b', '10.0.0.2')]);
  });

  test('waits ten minutes for an IPAddress that it gave and that is never seen', () => {
    const given = after(begin(aPool({ claims: [aClaim('a')] })), DONE);
    const next = absorb(given, aPool({ claims: [aClaim('b')] }));
    expect(tasksOf(next, 600_999)).toEqual([give('b', '10.0.0.2')]);
    expect(tasksOf(next, 601_000)).toEqual([give('b', '10.0.0.1')]);
  });

  test('takes the next address when the IPAddress belongs to somebody else', () => {
    const memory = after(begin(aPool({ claims: [aClaim('a')] })), { kind: 'taken' });
    expect(tasksOf(memory)).toEqual([give('a', '10.0.0.2')]);
    expect(tasksOf(absorb(memory, aPool({ claims: [aClaim('a')] })))).toEqual([give('a', '10.0.0.1')]);
  });

  test('keeps no address for a claim that is gone or has one', () => {
    const memory = after(begin(aPool({ claims: [aClaim('a')] })), { kind: 'needless' });
    expect(tasksOf(memory)).toEqual([]);
    expect(tasksOf(absorb(memory, aPool({ claims: [aClaim('b')] })))).toEqual([give('b', '10.0.0.1')]);
  });

  test('shows a claim the IPAddress that it has, whatever was lost', () => {
    const addresses = [{ name: 'p-10-0-0-3', address: '10.0.0.3' }];
    const memory = begin(aPool({ claims: [aClaim('a', { addresses })], inUse: ['10.0.0.3'], addresses: 1 }));
    expect(tasksOf(memory)).toEqual([{ kind: 'show', claim: ref('a'), name: 'p-10-0-0-3' }]);
    expect(tasksOf(after(memory, DONE))).toEqual([]);
  });

  test('serves a claim that it has refused when room appears, and says nothing twice', () => {
    const memory = begin(aPool({ claims: [aClaim('a')], inUse: ['10.0.0.1-10.0.0.3'] }));
    const told = after(memory, DONE);
    expect(step(told)).toEqual({ kind: 'wait', reason: '1 claim gets no address' });
    const shown = aClaim('a', { error: EXHAUSTED });
    expect(tasksOf(begin(aPool({ claims: [shown], inUse: ['10.0.0.1-10.0.0.3'] })))).toEqual([]);
    expect(tasksOf(absorb(told, aPool({ claims: [shown], inUse: ['10.0.0.1'] })))).toEqual([give('a', '10.0.0.2')]);
  });

  test('releases each claim once, with every IPAddress that it knows of', () => {
    const given = after(begin(aPool({ claims: [aClaim('a')] })), DONE);
    const addresses = [{ name: 'p-10-0-0-3', address: '10.0.0.3' }];
    const leaving = absorb(given, aPool({ claims: [aClaim('a', { deleting: true, addresses })] }));
    expect(tasksOf(leaving)).toEqual([{ kind: 'release', claim: ref('a'), names: ['p-10-0-0-3', 'p-10-0-0-1'] }]);
    const released = after(leaving, DONE);
    expect([tasksOf(released), released.allocated]).toEqual([[], []]);
  });

  test('deletes a loose IPAddress once', () => {
    const loose = { kind: 'IPClaim', claim: 'a', name: 'p-10-0-0-1', address: '10.0.0.1' } as const;
    const memory = begin(aPool({ loose: [loose], inUse: ['10.0.0.1'], addresses: 1 }));
    expect(tasksOf(memory)).toEqual([{ kind: 'let go', loose }]);
    expect(tasksOf(after(memory, DONE))).toEqual([]);
  });

  test('does again what a restore of etcd may have lost, also when it was under way', () => {
    const before = begin(aPool({ claims: [aClaim('a')] }));
    const restored = aPool({ claims: [aClaim('a')], versionsSince: 2 });
    expect(tasksOf(absorb(after(before, DONE), restored))).toEqual([give('a', '10.0.0.1')]);
    const late = ended(before, settling(tasksOf(before)), { kind: 'done', answer: [DONE] }, absorb(before, restored));
    expect([tasksOf(late), late.allocated]).toEqual([[give('a', '10.0.0.1')], []]);
  });

  test('tries again what was refused, later and later, and serves the others meanwhile', () => {
    const memory = begin(aPool({ claims: [aClaim('a'), aClaim('b')] }));
    const refused = after(memory, { kind: 'refused', message: 'no' }, DONE);
    expect(step(refused)).toEqual({ kind: 'wait', reason: 'IPClaim a: no', until: 6_000 });
    expect(tasksOf(refused, 6_000)).toEqual([give('a', '10.0.0.1')]);
    const again = ended(refused, settling([give('a', '10.0.0.1')]), { kind: 'failed', message: 'no' });
    expect(step(again)).toMatchObject({ until: 11_000 });
  });

  test('waits for the claim that it could not serve or release, which it names with the reason', () => {
    const memory = begin(aPool({ claims: [aClaim('a'), aClaim('b', { deleting: true })] }));
    const settled = (refusedKind: AddressTask['kind'], message: string): PoolMemory =>
      after(
        memory,
        ...tasksOf(memory).map(
          ({ kind }) => (kind === refusedKind ? { kind: 'refused', message } : DONE) as AddressTaskAnswer,
        ),
      );
    expect(step(settled('give', NOT_CREATED))).toMatchObject({ kind: 'wait', reason: `IPClaim a: ${NOT_CREATED}` });
    expect(step(settled('release', NOT_DELETED))).toMatchObject({ kind: 'wait', reason: `IPClaim b: ${NOT_DELETED}` });
    const unanswered = ended(memory, settling(tasksOf(memory)), { kind: 'failed', message: 'the API server is away' });
    expect(step(unanswered)).toMatchObject({ kind: 'wait', reason: 'IPClaim a: the API server is away' });
  });

  test('does as much in one activity as a crash may repeat', () => {
    const claims = Array.from({ length: 150 }, (_, at) => aClaim(`c${at}`));
    const spec = { ...aPool().spec, pools: [{ subnet: '10.0.0.0/16' }] };
    expect(tasksOf(begin(aPool({ spec, claims })))).toHaveLength(100);
  });

  test('that is paused gives and releases nothing, also without a Cluster', () => {
    const claims = [aClaim('a'), aClaim('b', { deleting: true })];
    expect(tasksOf(begin(aPool({ claims })))).toHaveLength(2);
    const paused = begin(aPool({ claims, paused: true }));
    expect(step(paused)).toEqual({ kind: 'wait', reason: 'paused' });
    expect(ipPoolEntity.show(paused)).toEqual({});
  });

  test('whose prefix, gateway or name servers change gives these to the next claim, and changes no IPAddress', () => {
    const given = after(begin(aPool({ claims: [aClaim('a')] })), DONE);
    const around = { prefix: 25, gateway: '10.0.0.9', dnsServers: ['10.0.0.53'] };
    const spec = { ...aPool().spec, ...around };
    const inUse = ['10.0.0.1'];
    expect(tasksOf(absorb(given, aPool({ spec, inUse, addresses: 1 })))).toEqual([]);
    const next = absorb(given, aPool({ spec, inUse, addresses: 1, claims: [aClaim('b')] }));
    expect(tasksOf(next)).toEqual([{ kind: 'give', claim: ref('b'), allocation: { address: '10.0.0.2', ...around } }]);
  });

  test('says in the Web UI what it does', () => {
    const memory = begin(aPool({ claims: [aClaim('a'), aClaim('b', { deleting: true })], inUse: [] }));
    expect(ipPoolEntity.summaryOf(settling(tasksOf(memory)))).toBe('Give a, release b');
    expect(ipPoolEntity.detailsOf(memory, 'a claim')).toBe(
      '**IPPool lan** in metal: 0 addresses given, 2 claims open.\n\na claim',
    );
  });
});

describe('an IPPool that is being deleted', () => {
  const deletionTimestamp = '2026-01-01T00:01:00Z';

  test('is gone when no IPAddress is left, whatever claims wait', () => {
    expect(step(begin(aPool({ deletionTimestamp, addresses: 2 })))).toEqual({
      kind: 'wait',
      reason: 'will be deleted when it is no longer used: 2 IPAddresses',
    });
    expect(step(begin(aPool({ deletionTimestamp })))).toEqual({ kind: 'gone' });
  });

  test('waits for an IPAddress that it gave and that is not seen yet', () => {
    const given = after(begin(aPool({ claims: [aClaim('a')] })), DONE);
    const reason = 'will be deleted when it is no longer used: 1 IPAddress';
    expect(step(absorb(given, aPool({ deletionTimestamp })))).toEqual({ kind: 'wait', reason });
  });
});

describe('an IPPool of a Cluster', () => {
  const cluster = { name: 'blue', uid: 'cluster-uid', paused: false, isLinked: true };
  const claims = [aClaim('a')];
  const pool = { namespace: 'metal', name: 'lan', uid: 'pool-uid' };
  const link: PoolAction = { name: 'link', pool, cluster: 'blue', owner: { uid: 'cluster-uid' } };

  test('is linked to it once, also while the Cluster is paused', () => {
    const unlinked = aPool({ claims, cluster: { ...cluster, isLinked: false, paused: true } });
    const memory = begin(unlinked);
    expect(step(memory)).toEqual({ kind: 'act', action: link });
    const linked = ended(memory, link, { kind: 'done', answer: 'linked' });
    expect(step(linked)).toEqual({ kind: 'wait', reason: 'paused with Cluster blue' });
    // Somebody removed the labels again.
    expect(step(absorb(linked, { ...unlinked, resourceVersion: '2' }))).toEqual({ kind: 'act', action: link });
  });

  test('gets its labels also before the Cluster exists, and nothing else is done until then', () => {
    const missing = { name: 'blue', paused: false, isLinked: false };
    const { owner: _, ...labels } = link;
    expect(step(begin(aPool({ claims, cluster: missing })))).toEqual({ kind: 'act', action: labels });
    const memory = begin(aPool({ claims, cluster: { ...missing, isLinked: true } }));
    expect(step(memory)).toEqual({ kind: 'wait', reason: 'Cluster blue does not exist' });
    expect(ipPoolEntity.show(memory)).toEqual({});
    const leaving = aPool({ cluster: { ...missing, isLinked: true }, deletionTimestamp: '2026-01-01T00:01:00Z' });
    expect(step(begin(leaving))).toEqual({ kind: 'gone' });
  });

  test('serves its claims although the API server refuses its labels, and tries these later', () => {
    const memory = begin(aPool({ claims, cluster: { ...cluster, isLinked: false } }));
    const refused = ended(memory, link, { kind: 'failed', message: 'no' });
    expect(tasksOf(refused)).toEqual([give('a', '10.0.0.1')]);
    expect(step(after(refused, DONE))).toEqual({ kind: 'wait', reason: 'no', until: 6_000 });
    expect(step(after(refused, DONE), 6_000)).toEqual({ kind: 'act', action: link });
  });

  test('does nothing while it is paused, not even wake up', () => {
    const paused = aPool({ claims, cluster: { ...cluster, paused: true } });
    const refused = after(begin(aPool({ claims, cluster })), { kind: 'refused', message: 'no' });
    expect(step(absorb(refused, paused), 9_000)).toEqual({ kind: 'wait', reason: 'paused with Cluster blue' });
    const own = begin(aPool({ claims, paused: true, cluster: { ...cluster, isLinked: false } }));
    expect(step(own)).toEqual({ kind: 'wait', reason: 'paused' });
    expect(ipPoolEntity.show(own)).toEqual({});
  });
});

test('a message of another shape is refused', () => {
  const { snapshot } = ipPoolEntity;
  expect(snapshot(aPool({ claims: [aClaim('a')] }), 'pool')).toBeUndefined();
  expect(snapshot({ ...aPool(), claims: [{ ...aClaim('a'), kind: 'Other' }] }, 'pool')).toBe(
    'pool.claims[0].kind is not one of IPClaim, IPAddressClaim',
  );
});
