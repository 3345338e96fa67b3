import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBefore, type Order } from './order.ts';
import type { Seen } from './seen.ts';
import { observedNext, type State, withKnown } from './state.ts';
import type { Shown } from './view.ts';

interface Snapshot extends Seen {
  readonly says: string;
}
interface Memory {
  readonly says: string;
  readonly begun: string;
  readonly before?: string;
}

const NOW = 1_000;
const aSnapshot = (change: Partial<Snapshot> = {}): Snapshot => ({
  namespace: 'metal',
  name: 'one',
  uid: 'uid-1',
  resourceVersion: '100',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  says: 'hello',
  ...change,
});
const entity = {
  begin: ({ says, uid }: Snapshot, before?: Memory): Memory => ({
    says,
    begun: uid,
    ...(before && { before: before.begun }),
  }),
  absorb: (memory: Memory, { says }: Snapshot): Memory => ({ ...memory, says }),
  show: ({ says }: Memory): Shown => ({ status: { says } }),
};
const at = (number: number, epoch = 1): Order => ({ epoch, number });

const hear = (
  state: State<Memory> | undefined,
  order: Order,
  change: Partial<Snapshot> = {},
  anew?: true,
): State<Memory> | undefined => {
  const known = observedNext(state, { snapshot: aSnapshot(change), order, ...(anew && { anew }) }, entity, NOW);
  return known === undefined ? state : withKnown(state, known, entity, NOW);
};
const heard = (...snapshots: readonly (readonly [Order, Partial<Snapshot>?, true?])[]): State<Memory> => {
  const state = snapshots.reduce<State<Memory> | undefined>((before, [...one]) => hear(before, ...one), undefined);
  if (state === undefined) throw new Error('nothing was heard');
  return state;
};

describe('a snapshot', () => {
  test('sent before the last one is ignored', () => {
    const state = heard([at(2)]);
    expect(hear(state, at(1), { says: 'late', resourceVersion: '999' })).toBe(state);
    expect(hear(state, at(9, 0), { says: 'from a bridge of before', resourceVersion: '999' })).toBe(state);
  });
  test('of another uid starts a new memory, which gets that of the deleted object', () => {
    const { memory, shown } = heard([at(1)], [at(2), { uid: 'uid-2' }]);
    expect({ memory, shown }).toEqual({ memory: { says: 'hello', begun: 'uid-2', before: 'uid-1' }, shown: null });
  });
  test('of a recreated object is not undone by a late one of the old object', () => {
    const state = heard([at(1)], [at(3), { uid: 'uid-2' }]);
    expect(hear(state, at(2), { says: 'late' })).toBe(state);
  });
  test.each([
    ['resource version, because etcd was restored', { resourceVersion: '7' }],
    ['generation', { generation: 0 }],
    ['time of creation', { creationTimestamp: '2020-01-01T00:00:00Z', uid: 'uid-2' }],
  ])('counts whatever its %s', (_, older) => {
    expect(heard([at(1)], [at(2), { ...older, says: 'edited' }]).memory.says).toBe('edited');
  });
  test('that says so makes the run forget what it remembers', () => {
    const state = heard([at(1), { says: 'old' }], [at(2), { says: 'new' }, true]);
    expect(state).toMatchObject({ memory: { says: 'new', begun: 'uid-1' }, begun: at(2), shown: null });
    expect(state.memory).not.toHaveProperty('before');
  });
  test('that says so for a run that was reset is remembered with that run, until it begins again', () => {
    const anew = (number: number, reset?: string) => ({
      snapshot: aSnapshot(),
      order: at(number),
      anew: true as const,
      ...(reset !== undefined && { reset }),
    });
    const known = observedNext(heard([at(1)]), anew(2, 'run-2'), entity, NOW);
    if (known === undefined) throw new Error('the snapshot was ignored');
    const state = withKnown(heard([at(1)]), known, entity, NOW);
    expect(state.begunFor).toBe('run-2');
    expect(hear(state, at(3), { says: 'news' })).toMatchObject({ begunFor: 'run-2', memory: { says: 'news' } });
    expect(observedNext(state, anew(3), entity, NOW)).not.toHaveProperty('begunFor');
    expect(hear(state, at(3), { uid: 'uid-2' })).not.toHaveProperty('begunFor');
  });
  test('may come in any order: the last that was sent counts', () => {
    const orders = fc.uniqueArray(fc.record({ epoch: fc.integer({ min: 1, max: 3 }), number: fc.nat(50) }), {
      minLength: 1,
      selector: ({ epoch, number }) => `${epoch}/${number}`,
    });
    fc.assert(
      fc.property(orders, (sent) => {
        const state = heard(...sent.map((order) => [order, { says: JSON.stringify(order) }] as const));
        const last = sent.reduce((a, b) => (isBefore(a, b) ? b : a));
        expect(state.memory.says).toBe(JSON.stringify(last));
      }),
    );
  });
});

describe('the revision', () => {
  test('moves when something else is to be shown, and only then', () => {
    const state = heard([at(1)]);
    expect(state).toMatchObject({ revision: 1, at: NOW });
    expect(hear(state, at(2), { resourceVersion: '101' })?.revision).toBe(1);
    expect(hear(state, at(2), { says: 'something else' })?.revision).toBe(2);
  });
  test('moves when another generation is taken into account, even if that changes nothing else', () => {
    expect(heard([at(1)], [at(2), { generation: 2 }]).revision).toBe(2);
  });
  test('does not move when Events were recorded and annotations were removed', () => {
    const showing = (shown: Shown) => ({ show: () => shown });
    const known = { seen: aSnapshot(), order: at(1), begun: at(1), memory: {} };
    const before = withKnown(undefined, known, showing({}), NOW);
    const event = { id: '1', reason: 'Why', message: 'because' };
    const entities = [{ events: [event], annotations: { key: null } }, {}] as const;
    let turn = 0;
    const show = (): Shown => entities[turn++] ?? {};
    expect(withKnown(before, { ...known, memory: { other: true } }, { show }, NOW).revision).toBe(1);
    expect(turn).toBe(2);
    turn = 0;
    const reversed = (): Shown => entities[1 - turn++] ?? {};
    expect(withKnown(before, { ...known, memory: { other: true } }, { show: reversed }, NOW).revision).toBe(2);
  });
});
