import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ask,
  type Capacity,
  giveBack,
  grant,
  mayGrant,
  NOBODY,
  places,
  type SlotApplicant,
  type SlotRequest,
} from './capacity.ts';

const LIMIT = 2;
const aRequest = (host: string, change: Partial<SlotRequest> = {}): SlotRequest => ({
  holder: host,
  uid: host,
  ticket: `${host}/1`,
  nodeId: `node-${host}`,
  limit: LIMIT,
  ...change,
});
const asked = (...hosts: readonly string[]): Capacity =>
  hosts.reduce((capacity, host) => ask(capacity, aRequest(host)), NOBODY);
const names = (entries: readonly SlotApplicant[]): readonly string[] => entries.map(({ holder }) => holder);

describe('slots', () => {
  test('go to those who asked first, as many as there are', () => {
    const { capacity, granted } = grant(asked('a', 'b', 'c', 'd'), []);
    expect(names(granted)).toEqual(['a', 'b']);
    expect(names(capacity.holders)).toEqual(['a', 'b']);
    expect(names(capacity.queue)).toEqual(['c', 'd']);
  });
  test('go to the next when one is given back, once', () => {
    const full = grant(asked('a', 'b', 'c', 'd'), []).capacity;
    const freed = giveBack(giveBack(full, 'a/1'), 'a/1');
    expect(names(grant(freed, []).granted)).toEqual(['c']);
  });
  test('are used up by busy nodes that no host has a slot for', () => {
    expect(names(grant(asked('a', 'b', 'c'), ['stranger']).granted)).toEqual(['a']);
    expect(grant(asked('a'), ['one', 'two', 'three']).granted).toEqual([]);
  });
  test('are not taken up twice by the node of a holder that is at work', () => {
    const one = grant(asked('a'), []).capacity;
    expect(names(grant(ask(one, aRequest('b')), ['node-a']).granted)).toEqual(['b']);
  });
  test('are given past the limit to a host whose own node is at work already', () => {
    const { capacity, granted } = grant(asked('a', 'b', 'c', 'd'), ['node-d', 'one', 'two']);
    expect(names(granted)).toEqual(['d']);
    expect(names(capacity.queue)).toEqual(['a', 'b', 'c']);
  });
  test('are as many as the newest request knows of', () => {
    const full = grant(asked('a', 'b', 'c', 'd'), []).capacity;
    expect(names(grant(ask(full, aRequest('e', { limit: 4 })), []).granted)).toEqual(['c', 'd']);
    expect(grant(ask(full, aRequest('e', { limit: 1 })), []).granted).toEqual([]);
  });
});

test('ten thousand hosts that wait are not more than a run may hand on to the next', () => {
  const uuid = 'f3a1c7de-0000-4000-8000-000000000000';
  const hosts = Array.from({ length: 10_000 }, (_, index) => `baremetalhost/metal/rack-12-host-${index}`);
  const queue = hosts.flatMap((holder) => {
    return ask(NOBODY, { holder, uid: uuid, ticket: `${uuid}/1763797620000`, nodeId: uuid, limit: 20 }).queue;
  });
  expect(queue).toHaveLength(hosts.length);
  expect(Buffer.byteLength(JSON.stringify({ ...NOBODY, queue }))).toBeLessThan(2 * 1024 ** 2 - 100_000);
});

describe('a request', () => {
  test('that is repeated changes nothing but that it is answered again', () => {
    const told = places(asked('a', 'b'), 9).capacity;
    expect(places(told, 9).places).toEqual([]);
    const again = ask(told, aRequest('a'));
    expect(names(again.queue)).toEqual(['a', 'b']);
    expect(places(again, 9).places).toMatchObject([{ applicant: { ticket: 'a/1' }, ahead: 0 }]);
    const held = grant(again, []).capacity;
    expect(ask(held, aRequest('a'))).toEqual(held);
  });
  test('of a host that forgot its earlier one keeps the place, not the slot', () => {
    const queued = ask(asked('a', 'b'), aRequest('a', { ticket: 'a/2' }));
    expect(queued.queue.map(({ ticket }) => ticket)).toEqual(['a/2', 'b/1']);
    const held = grant(asked('a', 'b', 'c'), []).capacity;
    const anew = ask(held, aRequest('a', { ticket: 'a/2' }));
    expect([names(anew.holders), names(anew.queue)]).toEqual([['b'], ['c', 'a']]);
  });
  test('of a recreated host of the same name goes to the end', () => {
    const queued = ask(asked('a', 'b'), aRequest('a', { uid: 'new', ticket: 'new/1' }));
    expect(names(queued.queue)).toEqual(['b', 'a']);
  });
  test('is answered once, in the order of asking, however few are answered at a time', () => {
    const first = places(asked('a', 'b', 'c'), 2);
    expect(first.places.map(({ applicant, ahead }) => [applicant.holder, ahead])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    const second = places(first.capacity, 2);
    expect(second.places.map(({ applicant, ahead }) => [applicant.holder, ahead])).toEqual([['c', 2]]);
    expect(places(second.capacity, 2).places).toEqual([]);
  });
  test('that is withdrawn leaves the queue', () => {
    expect(names(giveBack(asked('a', 'b', 'c'), 'b/1').queue)).toEqual(['a', 'c']);
  });
});

describe('a look at Ironic', () => {
  test('is worth it while a slot is free, and for a new request', () => {
    expect(mayGrant(NOBODY)).toBe(false);
    const full = grant(asked('a', 'b', 'c'), []).capacity;
    expect(mayGrant(full)).toBe(true);
    expect(mayGrant(places(full, 9).capacity)).toBe(false);
    expect(mayGrant(places(giveBack(full, 'a/1'), 9).capacity)).toBe(true);
  });
});

/**
 * What a world of hosts can do to the capacity: ask (also twice, also anew), give back (also late), and be looked at.
 */
const event = fc.oneof(
  fc.record({ kind: fc.constant('ask'), host: fc.integer({ min: 0, max: 7 }), ticket: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('back'),
    host: fc.integer({ min: 0, max: 7 }),
    ticket: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('look'), busy: fc.subarray(['node-0', 'node-1', 'node-2', 'other-1', 'other-2']) }),
);

describe('with requests and returns in any order, repeated, late or lost', () => {
  test('Ironic never gets more to do than the limit, hosts go in order, and no slot is lost', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (events, limit) => {
        let capacity: Capacity = { ...NOBODY, limit };
        for (const happening of events) {
          capacity = 'busy' in happening ? looked(capacity, happening.busy) : happened(capacity, happening, limit);
          const all = names([...capacity.holders, ...capacity.queue]);
          expect(new Set(all).size).toBe(all.length);
          // A crash in between is a round trip through JSON.
          expect(JSON.parse(JSON.stringify(capacity))).toEqual(capacity);
        }
      }),
    );
  });
  test('every host that keeps asking gets a slot when those before it return theirs', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 4 }),
        (hosts, limit) => {
          let capacity = hosts.reduce((all, host) => ask(all, aRequest(String(host), { limit })), NOBODY);
          const served: string[] = [];
          while (capacity.queue.length + capacity.holders.length > 0) {
            const next = grant(capacity, []);
            served.push(...names(next.granted));
            capacity = next.capacity;
            expect(capacity.holders.length).toBeLessThanOrEqual(limit);
            capacity = giveBack(capacity, capacity.holders[0]?.ticket ?? '');
          }
          expect(served).toEqual(hosts.map(String));
        },
      ),
    );
  });
});

function happened(
  capacity: Capacity,
  { kind, host, ticket }: { readonly kind: string; readonly host: number; readonly ticket: number },
  limit: number,
): Capacity {
  const request = aRequest(String(host), { ticket: `${host}/${ticket}`, limit });
  return kind === 'ask' ? ask(capacity, request) : giveBack(capacity, request.ticket);
}

function looked(before: Capacity, busy: readonly string[]): Capacity {
  const inHand = (of: Capacity): number => new Set([...of.holders.map(({ nodeId }) => nodeId), ...busy]).size;
  const { capacity, granted } = grant(before, busy);
  expect(inHand(capacity)).toBeLessThanOrEqual(Math.max(before.limit, inHand(before)));
  const outOfTurn = ({ nodeId }: SlotApplicant): boolean => busy.includes(nodeId);
  const inTurn = granted.filter((applicant) => !outOfTurn(applicant));
  const waiting = before.queue.filter((applicant) => !outOfTurn(applicant));
  expect(names(inTurn)).toEqual(names(waiting.slice(0, inTurn.length)));
  expect(capacity.queue.length === 0 || inHand(capacity) >= before.limit).toBe(true);
  return capacity;
}
