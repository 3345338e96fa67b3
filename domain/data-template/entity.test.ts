import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aTemplate, someData } from '../../test/builders/data-template.ts';
import { begin } from '../allocation/memory.ts';
import type { Outcome } from '../entity/entity.ts';
import { allocate } from './allocate.ts';
import type { ClaimTask } from './decide.ts';
import { type IndexTaskAnswer, type TemplateAction, templateEntity } from './entity.ts';
import { absorb, type TemplateMemory } from './memory.ts';
import type { ClaimSeen } from './snapshot.ts';

const HELD = { finalizer: true } as const;
const AT = { now: 1_000, dice: 0 };

const aClaim = (name: string, given: Partial<ClaimSeen> = {}): ClaimSeen => ({
  name,
  uid: `${name}-uid`,
  creationTimestamp: '2026-08-21T00:00:00Z',
  deleting: false,
  paused: false,
  hasFinalizer: false,
  hasMachine: true,
  ...given,
});
const give = (claim: string, index: number): ClaimTask => ({ kind: 'give', claim, uid: `${claim}-uid`, index });

const step = (memory: TemplateMemory, now = AT.now) => templateEntity.nextStep(memory, { now, shown: HELD });
const tasksOf = (memory: TemplateMemory, now?: number): readonly ClaimTask[] => {
  const next = step(memory, now);
  return next.kind === 'act' ? next.action.tasks : [];
};
const action = (tasks: readonly ClaimTask[]): TemplateAction => ({ namespace: 'metal3', template: 'nodes', tasks });
const after = (memory: TemplateMemory, tasks: readonly ClaimTask[], ...answers: IndexTaskAnswer[]): TemplateMemory =>
  templateEntity.record(memory, action(tasks), { kind: 'done', answer: answers }, { ...AT, before: memory });
const DONE: IndexTaskAnswer = { kind: 'done' };

describe('a Metal3DataTemplate', () => {
  test('is held before anything is done for it', () => {
    const memory = begin(aTemplate({ claims: [aClaim('a')] }));
    expect(templateEntity.nextStep(memory, { now: 0, shown: null })).toEqual({ kind: 'show' });
    expect(templateEntity.show(memory)).toEqual({ finalizer: true, status: {}, timed: true });
  });

  test('gives the lowest free indexes to all claims at once, the oldest first', () => {
    const claims = [
      aClaim('c'),
      aClaim('b'),
      aClaim('a', { creationTimestamp: '2026-08-21T00:00:01Z' }),
      aClaim('d', { creationTimestamp: '2026-08-21T00:00:02Z' }),
    ];
    const memory = begin(aTemplate({ claims, settled: 2, data: [someData(0, 'x'), someData(3, 'y')] }));
    expect(tasksOf(memory)).toEqual([give('b', 1), give('c', 2), give('a', 4), give('d', 5)]);
  });

  test('does not assign an index again whose Metal3Data the bridge has not seen yet', () => {
    const first = begin(aTemplate({ claims: [aClaim('a')] }));
    const given = after(first, [give('a', 0)], DONE);
    expect(tasksOf(given)).toEqual([]);
    const second = absorb(given, aTemplate({ claims: [aClaim('a'), aClaim('b')] }));
    expect(tasksOf(second)).toEqual([give('b', 1)]);
  });

  test('gives an index once more that a restore of etcd may have lost, also when it was under way', () => {
    const before = begin(aTemplate({ claims: [aClaim('a')] }));
    const given = after(before, [give('a', 0)], DONE);
    expect(tasksOf(given)).toEqual([]);
    const restored = aTemplate({ claims: [aClaim('a')], versionsSince: 2 });
    expect(tasksOf(absorb(given, restored))).toEqual([give('a', 0)]);

    const outcome = { kind: 'done', answer: [DONE] } as const;
    const ended = templateEntity.record(absorb(before, restored), action([give('a', 0)]), outcome, { ...AT, before });
    expect(tasksOf(ended)).toEqual([give('a', 0)]);
  });

  test('gives an index again once its Metal3Data is gone', () => {
    const memory = absorb(
      after(begin(aTemplate({ claims: [aClaim('a')] })), [give('a', 0)], DONE),
      aTemplate({ settled: 1, data: [someData(0, 'a')] }),
    );
    const leaving = absorb(
      memory,
      aTemplate({ claims: [aClaim('b')], data: [someData(0, 'a', { deleting: true, hasFinalizer: false })] }),
    );
    expect(tasksOf(leaving)).toEqual([give('b', 1)]);
    expect(tasksOf(absorb(memory, aTemplate({ claims: [aClaim('b')] })))).toEqual([give('b', 0)]);
  });

  test('reads the assigned indexes from the existing Metal3Data, whatever was lost', () => {
    const memory = begin(aTemplate({ claims: [aClaim('a'), aClaim('b')], data: [someData(7, 'b')] }));
    expect(tasksOf(memory)).toEqual([give('b', 7), give('a', 0)]);
  });

  test('does not hand a claim the dying Metal3Data of an older claim of its name', () => {
    const dying = begin(
      aTemplate({ claims: [aClaim('a')], data: [someData(0, 'a', { deleting: true, hasFinalizer: false })] }),
    );
    expect(tasksOf(dying)).toEqual([]);
    expect(tasksOf(absorb(dying, aTemplate({ claims: [aClaim('a')] })))).toEqual([give('a', 0)]);
  });

  test('keeps an index that it has given until its Metal3Data is seen, for ten minutes at most', () => {
    const given = after(begin(aTemplate({ claims: [aClaim('a')] })), [give('a', 0)], DONE);
    const unseen = absorb(given, aTemplate({ claims: [aClaim('b')] }));
    expect(tasksOf(unseen)).toEqual([give('b', 1)]);
    expect(tasksOf(unseen, AT.now + 600_000)).toEqual([give('b', 0)]);
    expect(tasksOf(absorb(unseen, aTemplate({ claims: [aClaim('b')], data: [someData(0, 'a')] })))).toEqual([
      give('b', 1),
    ]);
  });

  test('lets claims wait for which the snapshot has no free index', () => {
    const claims = Array.from({ length: 3 }, (_, at) => aClaim(`c${at}`));
    const memory = begin({ ...aTemplate({ claims }), free: [7, 9] });
    expect(tasksOf(memory)).toEqual([give('c0', 7), give('c1', 9)]);
  });

  test('takes the next index when the name belongs to another claim', () => {
    const memory = after(begin(aTemplate({ claims: [aClaim('a')] })), [give('a', 0)], { kind: 'taken' });
    expect(tasksOf(memory)).toEqual([give('a', 1)]);
  });

  test('shows a claim without a Metal3Machine why it gets nothing, once, and serves the others', () => {
    const claims = [aClaim('a', { hasMachine: false }), aClaim('b')];
    const message = 'metal3Machine not found in owner references';
    const complaint: ClaimTask = { kind: 'complain', claim: 'a', uid: 'a-uid', message };
    const memory = begin(aTemplate({ claims }));
    expect(tasksOf(memory)).toEqual([complaint, give('b', 0)]);
    const told = after(memory, [complaint, give('b', 0)], DONE, DONE);
    expect(tasksOf(told)).toEqual([]);
    const shown = absorb(told, aTemplate({ claims: [aClaim('a', { hasMachine: false, errorMessage: message })] }));
    expect(tasksOf(shown)).toEqual([]);
    expect(tasksOf(absorb(shown, aTemplate({ claims: [aClaim('a', { errorMessage: message })] })))).toEqual([
      give('a', 1),
    ]);
  });

  test('leaves paused claims alone, not those that are being deleted', () => {
    const claims = [aClaim('a', { paused: true }), aClaim('b', { paused: true, deleting: true, hasFinalizer: true })];
    const memory = begin(aTemplate({ claims, data: [someData(0, 'b')] }));
    const release = { kind: 'release', claim: 'b', uid: 'b-uid', data: 'nodes-0' };
    expect(tasksOf(memory)).toMatchObject([release]);
    const waiting = absorb(memory, aTemplate({ claims: [aClaim('a', { paused: true })] }));
    expect(step(waiting)).toEqual({ kind: 'wait', reason: '1 claim is paused' });
  });

  test('says after the pause what is wrong with a claim without a Metal3Machine', () => {
    const claim = { hasMachine: false };
    const paused = begin(aTemplate({ claims: [aClaim('a', { ...claim, paused: true })] }));
    expect(step(paused)).toEqual({ kind: 'wait', reason: '1 claim is paused' });
    const after = absorb(paused, aTemplate({ claims: [aClaim('a', claim)] }));
    expect(tasksOf(after)).toMatchObject([{ kind: 'complain', claim: 'a' }]);
  });

  test('does nothing while it is paused, and writes neither finalizer nor status', () => {
    const data = [someData(0, 'x')];
    const memory = begin(aTemplate({ paused: true, claims: [aClaim('a')], data }));
    expect(step(memory)).toEqual({ kind: 'wait', reason: 'paused' });
    expect(templateEntity.show(memory)).toEqual({});
    const unpaused = absorb(memory, aTemplate({ claims: [aClaim('a')], data }));
    expect(templateEntity.nextStep(unpaused, { now: 0, shown: {} })).toEqual({ kind: 'show' });
    expect(templateEntity.show(unpaused)).toMatchObject({ finalizer: true, status: {} });
  });

  test('releases each claim once, by the index that it has or the Metal3Data that it shows', () => {
    const leaving = { deleting: true, hasFinalizer: true } as const;
    const claims = [
      aClaim('a', leaving),
      aClaim('b', { ...leaving, renderedData: 'nodes-9' }),
      aClaim('c', leaving),
      aClaim('d', { deleting: true }),
    ];
    const memory = begin(aTemplate({ claims, data: [someData(4, 'a')] }));
    const tasks = tasksOf(memory);
    const missing = 'failed to retrieve Metal3Data object because it was not found or for other unknown reason';
    expect(tasks).toEqual([
      { kind: 'release', claim: 'a', uid: 'a-uid', data: 'nodes-4', problem: missing },
      { kind: 'release', claim: 'b', uid: 'b-uid', data: 'nodes-9', problem: 'index of the claim was not found' },
      { kind: 'release', claim: 'c', uid: 'c-uid', data: null, problem: `index of the claim was not found${missing}` },
    ]);
    expect(tasksOf(after(memory, tasks, DONE, DONE, DONE))).toEqual([]);
  });

  test('releases a claim that is deleted before its Metal3Data was seen', () => {
    const given = after(begin(aTemplate({ claims: [aClaim('a')] })), [give('a', 0)], DONE);
    const memory = absorb(given, aTemplate({ claims: [aClaim('a', { deleting: true, hasFinalizer: true })] }));
    expect(tasksOf(memory)).toMatchObject([{ kind: 'release', claim: 'a', data: 'nodes-0' }]);
  });

  test('releases a Metal3Data that is being deleted and whose claim is gone', () => {
    const memory = begin(aTemplate({ data: [someData(0, 'a', { deleting: true })] }));
    expect(tasksOf(memory)).toEqual([{ kind: 'let go', data: 'nodes-0' }]);
    expect(tasksOf(after(memory, tasksOf(memory), DONE))).toEqual([]);
  });

  test('tries again what the API server refused, later and later, and serves the others meanwhile', () => {
    const memory = begin(aTemplate({ claims: [aClaim('a'), aClaim('b')] }));
    const tasks = tasksOf(memory);
    const refused = after(memory, tasks, { kind: 'refused', message: 'no' }, DONE);
    expect(step(refused)).toEqual({ kind: 'wait', reason: 'Metal3DataClaim a: no', until: 6_000 });
    expect(tasksOf(refused, 6_000)).toEqual([give('a', 0)]);
    const again = after(refused, [give('a', 0)], { kind: 'refused', message: 'no' });
    expect(step(again)).toMatchObject({ kind: 'wait', until: 11_000 });
    expect(tasksOf(after(again, [give('a', 0)], DONE), 20_000)).toEqual([]);
  });

  test('tries again what failed as a whole', () => {
    const memory = begin(aTemplate({ claims: [aClaim('a'), aClaim('b')] }));
    const failed: Outcome<never> = { kind: 'failed', message: 'no' };
    const next = templateEntity.record(memory, action(tasksOf(memory)), failed, { ...AT, before: memory });
    expect(step(next)).toMatchObject({ kind: 'wait', until: 6_000 });
    expect(tasksOf(next, 6_000)).toEqual(tasksOf(memory));
  });

  test('that is deleted waits for its claims and its Metal3Data, and serves them until then', () => {
    const deleted = { deletionTimestamp: '2026-08-21T01:00:00Z' };
    const used = begin(aTemplate({ ...deleted, settled: 1, data: [someData(0, 'a')], claims: [aClaim('b')] }));
    expect(tasksOf(used)).toEqual([give('b', 1)]);
    const waiting = absorb(used, aTemplate({ ...deleted, settled: 1, data: [someData(0, 'a')] }));
    const reason = 'will be deleted when it is no longer used: 1 Metal3DataClaim, 1 Metal3Data';
    expect(step(waiting)).toEqual({ kind: 'wait', reason });
    expect(step(absorb(waiting, aTemplate(deleted)))).toEqual({ kind: 'gone' });
  });

  test('does at most 50 things at a time', () => {
    const claims = Array.from({ length: 60 }, (_, at) => aClaim(`c${at}`));
    expect(tasksOf(begin(aTemplate({ claims })))).toHaveLength(50);
  });

  test('says in the run what it does', () => {
    expect(templateEntity.summaryOf(action([give('a', 0)]))).toBe('Give a');
    const release: ClaimTask = { kind: 'release', claim: 'x', uid: 'x-uid', data: null };
    expect(templateEntity.summaryOf(action([give('a', 0), give('b', 1), release]))).toBe('Give 2, release x');
  });
});

test('indexes are dense, distinct and never one that is taken', () => {
  const names = fc.uniqueArray(fc.string(), { maxLength: 30 });
  const indexes = fc.uniqueArray(fc.nat(40), { maxLength: 20 });
  fc.assert(
    fc.property(names, indexes, (claims, taken) => {
      const wanted = claims.map((name) => aClaim(name));
      const free = Array.from({ length: 100 }, (_, at) => at).filter((at) => !taken.includes(at));
      const given = allocate(wanted, free).map(({ index }) => index);
      const all = [...taken, ...given];
      expect(new Set(all).size).toBe(all.length);
      const highest = Math.max(-1, ...given);
      expect(given.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: highest + 1 }, (_, at) => at).filter((at) => !taken.includes(at)),
      );
    }),
  );
});
