import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answers } from './answers.ts';
import { packed, unpacked } from './bound.ts';
import { grant, hasFreePlace, mayGrant } from './grant.ts';
import { type Applicant, type Lock, type PlaceRequest, unused } from './lock.ts';
import { ticketOf } from './marks.ts';
import { LOCKS, SLOTS_IN_IRONIC } from './policy.ts';
import { ask, giveBack } from './requests.ts';

/** A lock whose namespaces have turns, as that of the slots. */
const UNUSED = unused(LOCKS.slots.policy);
const LIMIT = 2;
const PREFIX = 'baremetalhost/';
/** A host by its namespace and name: `a/1`. */
const aRequest = (host: string, change: Partial<PlaceRequest> & { readonly limit?: number } = {}): PlaceRequest => {
  const { limit = LIMIT, ...rest } = change;
  const needs = [{ budget: SLOTS_IN_IRONIC, limit }];
  const uid = `uid of ${host}`;
  return {
    holder: `${PREFIX}${host}`,
    uid,
    ticket: ticketOf(uid, '1'),
    nodeId: `node-${host}`,
    needs,
    underway: false,
    ...rest,
  };
};
const ticket = (host: string): string => aRequest(host).ticket;
const asked = (...hosts: readonly string[]): Lock => hosts.reduce((lock, host) => ask(lock, aRequest(host)), UNUSED);
const names = (entries: readonly Pick<Applicant, 'holder'>[]): readonly string[] =>
  entries.map(({ holder }) => holder.slice(PREFIX.length));
const both = ({ holders, queue }: Lock): readonly (readonly string[])[] => [names(holders), names(queue)];
const positions = (lock: Lock): readonly (readonly [string, number])[] =>
  answers(lock, 1_000).told.flatMap(({ holder, news }) =>
    news.kind === 'queued' ? [[holder.slice(PREFIX.length), news.waitsFor.ahead] as const] : [],
  );

describe('namespaces that wait', () => {
  test('have turns, and hosts of one namespace are in the order of their requests', () => {
    expect(names(asked('a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'b/2').queue)).toEqual([
      'a/1',
      'b/1',
      'c/1',
      'a/2',
      'b/2',
      'a/3',
    ]);
  });

  test('are not held up by ten thousand hosts of another one', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `a/${index}`);
    const lock = ask(asked(...many), aRequest('b/1'));
    const full = grant(lock);
    expect(names(full.holders)).toEqual(['a/0', 'b/1']);
    expect(positions(ask(full, aRequest('c/1')))).toContainEqual(['c/1', 1]);
  });

  test('wait for one host of each other at most, also with one slot and when they ask each time anew', () => {
    const one = { limit: 1 };
    let lock = grant(['a/1', 'a/2', 'a/3', 'b/1', 'a/4'].reduce((all, host) => ask(all, aRequest(host, one)), UNUSED));
    const served: string[] = [];
    for (let round = 0; round < 6; round++) {
      const [first = ''] = names(lock.holders);
      served.push(first);
      lock = giveBack(lock, ticket(first));
      if (first.startsWith('b/')) lock = ask(lock, aRequest(first, one));
      lock = grant(lock);
    }
    expect(served).toEqual(['a/1', 'b/1', 'a/2', 'b/1', 'a/3', 'b/1']);
  });

  test('keep their turns when hosts before leave the line', () => {
    const lock = asked('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3');
    expect(names(giveBack(giveBack(lock, ticket('b/1')), ticket('b/2')).queue)).toEqual(['a/1', 'b/3', 'a/2', 'a/3']);
  });

  test('lose no position when a host asks again, and a recreated host is behind the others of its namespace', () => {
    const lock = asked('a/1', 'b/1', 'a/2', 'b/2');
    expect(names(ask(lock, aRequest('a/1', { ticket: ticketOf('uid of a/1', '2') })).queue)).toEqual(names(lock.queue));
    const recreated = ask(lock, aRequest('a/1', { uid: 'new', ticket: ticketOf('new', '1') }));
    expect(names(recreated.queue)).toEqual(['a/2', 'b/1', 'a/1', 'b/2']);
  });
});

describe('with busy nodes, slots', () => {
  test('are used up by those that no host has a slot for', () => {
    expect(names(grant(asked('a/1', 'a/2', 'a/3'), ['stranger']).holders)).toEqual(['a/1']);
    expect(grant(asked('a/1'), ['one', 'two', 'three']).holders).toEqual([]);
  });
  test('are not taken up twice by the node of a holder that is at work', () => {
    const one = grant(asked('a/1'));
    expect(both(grant(ask(one, aRequest('a/2')), ['node-a/1']))).toEqual([['a/1', 'a/2'], []]);
  });
  test('are given past the limit to a host whose own node is at work already, and cost its namespace no turn', () => {
    const lock = asked('a/1', 'a/2', 'b/1', 'b/2');
    expect(both(grant(lock, ['node-b/2', 'one', 'two']))).toEqual([['b/2'], ['a/1', 'b/1', 'a/2']]);
  });
  test('are as many as the request of the next host knows of', () => {
    const full = grant(asked('a/1', 'a/2', 'a/3', 'a/4'));
    const more = ['a/3', 'a/4'].reduce((lock, host) => ask(lock, aRequest(host, { limit: 4 })), full);
    expect(names(grant(more).holders)).toEqual(['a/1', 'a/2', 'a/3', 'a/4']);
    expect(names(grant(giveBack(ask(full, aRequest('a/3', { limit: 1 })), ticket('a/1'))).holders)).toEqual(['a/2']);
  });
  test('are worth a list while one is free, and for a new request', () => {
    expect(mayGrant(UNUSED)).toBe(false);
    const full = grant(asked('a/1', 'a/2', 'a/3'));
    expect([mayGrant(full), hasFreePlace(full)]).toEqual([true, false]);
    const told = answers(full, 9).lock;
    expect(mayGrant(told)).toBe(false);
    expect(hasFreePlace(giveBack(told, ticket('a/1')))).toBe(true);
  });
  test('of a lost run are free, because a node that really is busy is seen', () => {
    const full = grant(asked('a/1', 'a/2', 'a/3'));
    const anew = ask(full, aRequest('a/1', { ticket: ticketOf('uid of a/1', '2') }));
    expect(both(anew)).toEqual([['a/2'], ['a/3', 'a/1']]);
  });
});

test('only whoever asks is told of a position, not who waits behind a change', () => {
  const told = answers(grant(asked('a/1', 'a/2', 'a/3', 'a/4')), 9).lock;
  expect(answers(grant(giveBack(told, ticket('a/1'))), 9).told.map(({ news }) => news.kind)).toEqual(['granted']);
});

/** What a world of hosts can do: ask (also twice, also anew), give back (also late), be looked at, hand over. */
const HOSTS = ['a/1', 'a/2', 'a/3', 'a/4', 'b/1', 'b/2', 'c/1', 'c/2'] as const;
const happening = fc.record({
  kind: fc.constantFrom('ask', 'ask', 'back', 'look', 'hand over'),
  host: fc.constantFrom(...HOSTS),
  number: fc.constantFrom('1', '2'),
  busy: fc.subarray(['node-a/1', 'node-b/1', 'node-b/2', 'other-1', 'other-2']),
});

/** Before the first host of a namespace, and between two of it, at most one of each other. */
function expectFair({ queue }: Lock): void {
  const groups = names(queue).map((host) => host.slice(0, 1));
  for (const group of new Set(groups)) {
    let passed: string[] = [];
    for (const other of groups.slice(0, groups.lastIndexOf(group))) {
      if (other === group) passed = [];
      else passed.push(other);
      expect(new Set(passed).size).toBe(passed.length);
    }
  }
}

describe('with requests and returns in any order, repeated, late or lost', () => {
  test('Ironic never gets more to do than the limit, every namespace keeps its turns, and no slot is lost', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (happenings, limit) => {
        let lock = UNUSED;
        for (const { kind, host, number, busy } of happenings) {
          const drawn = ticketOf(`uid of ${host}`, number);
          if (kind === 'ask') lock = ask(lock, aRequest(host, { ticket: drawn, limit }));
          else if (kind === 'back') lock = giveBack(lock, drawn);
          else if (kind === 'hand over') lock = unpacked(JSON.parse(JSON.stringify(packed(lock))) as never);
          else lock = looked(lock, busy, limit);
          expectFair(lock);
          const all = names([...lock.holders, ...lock.queue]);
          expect(new Set(all).size).toBe(all.length);
        }
      }),
    );
  });
});

function looked(before: Lock, busy: readonly string[], limit: number): Lock {
  const inHand = ({ holders }: Lock): number =>
    new Set([...names(holders).map((host) => `node-${host}`), ...busy]).size;
  const after = grant(before, busy);
  expect(inHand(after)).toBeLessThanOrEqual(Math.max(limit, inHand(before)));
  expect(after.queue.length === 0 || inHand(after) >= limit).toBe(true);
  const line = names(before.queue).filter((host) => !busy.includes(`node-${host}`));
  const inTurn = names(after.holders.slice(before.holders.length)).filter((host) => !busy.includes(`node-${host}`));
  expect(inTurn.length <= line.length).toBe(true);
  return after;
}
