import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answers } from './answers.ts';
import { packed, unpacked } from './bound.ts';
import { grant } from './grant.ts';
import { atTheEnd, lookedAt, waitedFor } from './holders.ts';
import { type Applicant, type Lock, type PlaceRequest, unused } from './lock.ts';
import { ticketOf } from './marks.ts';
import { LOCKS } from './policy.ts';
import { ask, giveBack } from './requests.ts';
import { detailsOf } from './words.ts';

/** A lock whose line is in the order of the requests, as that of budgets. */
const UNUSED = unused(LOCKS.budgets.policy);
const handedOver = (lock: Lock): Lock => unpacked(packed(lock));
const idOf = (host: string): string => `baremetalhost/metal/${host}`;
const aRequest = (host: string, needs: Readonly<Record<string, number>>, change: Partial<PlaceRequest> = {}) => ({
  holder: idOf(host),
  uid: host,
  ticket: ticketOf(host, '1'),
  needs: Object.entries(needs).map(([budget, limit]) => ({ budget, limit })),
  underway: false,
  ...change,
});
const asked = (...requests: readonly PlaceRequest[]): Lock => requests.reduce(ask, UNUSED);
const names = (entries: readonly Pick<Applicant, 'holder'>[]): readonly string[] =>
  entries.map(({ holder }) => holder.slice(idOf('').length));
const both = ({ holders, queue }: Lock): readonly (readonly string[])[] => [names(holders), names(queue)];
/** Everybody is told. */
const told = (budgets: Lock): Lock => answers(budgets, 1_000).lock;
const obstacles = (budgets: Lock) =>
  answers(budgets, 1_000).told.map(({ news }) => (news.kind === 'queued' ? news.waitsFor : undefined));

describe('places in a budget', () => {
  test('go to those who asked first, as many as there are, and to the next when one is given back', () => {
    const full = grant(asked(aRequest('a', { all: 2 }), aRequest('b', { all: 2 }), aRequest('c', { all: 2 })));
    expect(both(full)).toEqual([['a', 'b'], ['c']]);
    expect(both(grant(giveBack(giveBack(full, ticketOf('a', '1')), ticketOf('a', '1'))))).toEqual([['b', 'c'], []]);
  });

  test('of one label value are no matter of another', () => {
    const zones = asked(aRequest('a', { east: 1 }), aRequest('b', { east: 1 }), aRequest('c', { west: 1 }));
    expect(both(grant(zones))).toEqual([['a', 'c'], ['b']]);
  });

  test('are taken in all budgets at once, or in none', () => {
    const waiting = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { zone: 1, all: 1 })));
    expect(both(waiting)).toEqual([['a'], ['b']]);
    expect(both(grant(ask(waiting, aRequest('c', { rack: 1 }))))).toEqual([['a', 'c'], ['b']]);
  });

  test('are not given to a host before one that waits for the same budget since longer', () => {
    const waiting = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { zone: 1, all: 1 })));
    const later = grant(ask(waiting, aRequest('c', { all: 1 })));
    expect(both(later)).toEqual([['a'], ['b', 'c']]);
    expect(both(grant(giveBack(later, ticketOf('a', '1'))))).toEqual([['b'], ['c']]);
  });

  test('are as many as the host that asks again knows by now', () => {
    const full = grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }), aRequest('c', { all: 1 })));
    const more = ask(full, aRequest('b', { all: 2 }));
    expect(both(grant(more))).toEqual([['a', 'b'], ['c']]);
    const fewer = grant(ask(grant(more), aRequest('c', { all: 1 })));
    expect(both(grant(giveBack(fewer, ticketOf('a', '1'))))).toEqual([['b'], ['c']]);
  });

  test('are freed by the request of their holder for others, so that two hosts can change places', () => {
    const full = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 1 })));
    const first = grant(ask(full, aRequest('a', { rack: 1 }, { ticket: ticketOf('a', '2') })));
    expect(both(first)).toEqual([['b'], ['a']]);
    expect(both(grant(ask(first, aRequest('b', { zone: 1 }, { ticket: ticketOf('b', '2') }))))).toEqual([
      ['a', 'b'],
      [],
    ]);
  });

  test('count by the budgets that their holder names by now', () => {
    const full = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 1 })));
    expect(both(grant(ask(ask(full, aRequest('a', { rack: 1 })), aRequest('c', { zone: 1 }))))).toEqual([
      ['b', 'a', 'c'],
      [],
    ]);
  });
});

describe('a request', () => {
  const full = (): Lock => told(grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }))));

  test('that is repeated keeps its place and is answered again', () => {
    const again = ask(ask(full(), aRequest('a', { all: 1 })), aRequest('b', { all: 1 }));
    expect(both(again)).toEqual([['a'], ['b']]);
    expect(answers(again, 9).told.map(({ news }) => news.ticket)).toEqual([ticketOf('a', '1'), ticketOf('b', '1')]);
  });

  test('of another step of its holder begins anew', () => {
    const next = ask(full(), aRequest('a', { all: 1 }, { ticket: ticketOf('a', '2') }));
    expect(both(grant(next))).toEqual([['b'], ['a']]);
  });

  test('of a host whose run was lost keeps its place, in the queue and after the step has begun', () => {
    const third = ask(full(), aRequest('c', { all: 1 }));
    expect(both(ask(third, aRequest('b', { all: 1 }, { ticket: ticketOf('b', '2') })))).toEqual([['a'], ['b', 'c']]);
    expect(both(ask(third, aRequest('a', { all: 1 }, { ticket: ticketOf('a', '2'), underway: true })))).toEqual([
      ['a'],
      ['b', 'c'],
    ]);
  });

  test('of a lost run that may have forgotten a place keeps it, if it is in all of the budgets that it names', () => {
    const before = told(grant(asked(aRequest('a', { rack: 1, zone: 1 }), aRequest('b', { rack: 1 }))));
    const kept = grant(ask(before, aRequest('a', { rack: 1 }, { ticket: ticketOf('a', '2'), isForgotten: true })));
    expect(both(kept)).toEqual([['a'], ['b']]);
    expect(kept.holders).toMatchObject([{ ticket: ticketOf('a', '2'), unanswered: true }]);
    const recreated = aRequest('a', { rack: 1 }, { uid: 'new', ticket: ticketOf('new', '1'), isForgotten: true });
    expect(both(grant(ask(before, recreated)))).toEqual([['b'], ['a']]);
  });

  test('of a lost run that needs other budgets by now waits until there is room in all of them', () => {
    const full = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 1 })));
    const forgetful = aRequest('a', { zone: 1, rack: 1 }, { ticket: ticketOf('a', '2'), isForgotten: true });
    const waiting = grant(ask(full, forgetful));
    expect(both(waiting)).toEqual([['b'], ['a']]);
    expect(both(grant(giveBack(waiting, ticketOf('b', '1'))))).toEqual([['a'], []]);
  });

  test('of a recreated host of the same name goes to the end', () => {
    const third = ask(full(), aRequest('c', { all: 1 }));
    expect(both(ask(third, aRequest('b', { all: 1 }, { uid: 'new', ticket: ticketOf('new', '1') })))).toEqual([
      ['a'],
      ['c', 'b'],
    ]);
  });

  test('after the begin of a step counts, also above the limit', () => {
    const over = ask(full(), aRequest('c', { all: 1 }, { underway: true }));
    expect(both(grant(over))).toEqual([['a', 'c'], ['b']]);
    expect(both(grant(giveBack(over, ticketOf('a', '1'))))).toEqual([['c'], ['b']]);
  });
});

describe('who waits', () => {
  test('is told for which budget, who has it, and how many are before it', () => {
    const waiting = grant(
      asked(aRequest('a', { all: 1 }), aRequest('b', { rack: 9, all: 1 }), aRequest('c', { rack: 1, all: 1 })),
    );
    const of = { budget: 'all', limit: 1, held: 1, holders: [idOf('a')] };
    expect(obstacles(waiting)).toEqual([undefined, { ...of, ahead: 0 }, { ...of, ahead: 1 }]);
    const [first, ...others] = ['a', 'b', 'c'].map(idOf);
    const rack = (limit: number): string => `at most ${limit} of rack; at most 1 of all`;
    expect(detailsOf(waiting).split('\n')).toEqual([
      '1 hosts have their places, 2 hosts wait',
      `- ${first ?? ''}: at most 1 of all`,
      '',
      'Next in line:',
      `1. ${others[0] ?? ''}: ${rack(9)}`,
      `1. ${others[1] ?? ''}: ${rack(1)}`,
    ]);
  });

  test('is told again when another host has it, the first of a line alone', () => {
    const hosts = Array.from({ length: 9 }, (_, index) => `h${index}`);
    const full = told(grant(asked(...hosts.map((host) => aRequest(host, { all: 1 })))));
    expect(answers(full, 9).told).toEqual([]);
    const next = grant(giveBack(full, ticketOf('h0', '1')));
    expect(names(answers(next, 9).told)).toEqual(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
  });

  test('is told in the order of asking, however few at a time', () => {
    const first = answers(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 })), 1);
    expect(names(first.told)).toEqual(['a']);
    expect(names(answers(first.lock, 1).told)).toEqual(['b']);
  });
});

test('the place of a run that is missed twice in turn is free', () => {
  const full = lookedAt(grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }))), ticketOf('a', '1'), true);
  const missed = lookedAt(full, ticketOf('a', '1'), false);
  expect(both(grant(missed))).toEqual([['a'], ['b']]);
  expect(both(grant(lookedAt(lookedAt(missed, ticketOf('a', '1'), true), ticketOf('a', '1'), false)))).toEqual([
    ['a'],
    ['b'],
  ]);
  expect(both(grant(lookedAt(missed, ticketOf('a', '1'), false)))).toEqual([['b'], []]);
});

test('the place of a run that is not there when it gets it is free at once', () => {
  const full = grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 })));
  expect(both(grant(lookedAt(full, ticketOf('a', '1'), false)))).toEqual([['b'], []]);
});

test('those who are asked whether they still need their places are the ones that others wait for, and in turn', () => {
  const all = asked(
    aRequest('awaited', { a: 2 }, { underway: true }),
    aRequest('other', { b: 2 }, { underway: true }),
    aRequest('third', { a: 2 }, { underway: true }),
    aRequest('waiting', { a: 2 }),
  );
  expect(names(waitedFor(all))).toEqual(['awaited', 'third']);
  const turned = atTheEnd(all, waitedFor(all).slice(0, 1));
  expect(names(turned.holders)).toEqual(['other', 'third', 'awaited']);
});

test('budgets that nobody needs any more are forgotten', () => {
  const all = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 3 })));
  const tidy = handedOver(giveBack(all, ticketOf('a', '1')));
  expect(tidy).toMatchObject({ names: [{ name: 'rack' }], holders: [{ needs: [[0, 3]] }] });
});

/** Lock with one limit for everybody. */
const LIMITS: Readonly<Record<string, number>> = { east: 1, west: 2, all: 2 };
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  a: ['east', 'all'],
  b: ['east', 'all'],
  c: ['west', 'all'],
  d: ['west'],
  e: ['east'],
};
const HOSTS = Object.keys(NEEDED);
const requestOf = (host: string, ticket = 1): PlaceRequest =>
  aRequest(host, Object.fromEntries((NEEDED[host] ?? []).map((budget) => [budget, LIMITS[budget] ?? 0])), {
    ticket: ticketOf(host, String(ticket)),
  });

/** No budget has more holders than its limit, and nobody is there twice. */
function expectSound(budgets: Lock): void {
  for (const [budget, limit] of Object.entries(LIMITS)) {
    const holding = budgets.holders.filter(({ needs }) =>
      needs.some(([index]) => budgets.names[index]?.name === budget),
    );
    expect(holding.length).toBeLessThanOrEqual(limit);
  }
  const all = names([...budgets.holders, ...budgets.queue]);
  expect(new Set(all).size).toBe(all.length);
}

/** After a grant, a host waits only for a budget that is used up, or for one before it in the line. */
function expectNobodyWaitsInVain(budgets: Lock): void {
  const unanswered = { ...budgets, queue: budgets.queue.map((entry) => ({ ...entry, unanswered: true as const })) };
  const inVain = obstacles(unanswered).filter(
    (waitsFor) => waitsFor !== undefined && waitsFor.held < waitsFor.limit && waitsFor.ahead === 0,
  );
  expect(inVain).toEqual([]);
}

describe('with requests and returns in any order', () => {
  test('no budget is ever exceeded, in all of the situations that four hosts can be in', () => {
    const hosts = HOSTS.slice(0, 4);
    const keyOf = (budgets: Lock): string => JSON.stringify(both(handedOver(budgets)));
    const seen = new Map([[keyOf(UNUSED), UNUSED]]);
    for (const budgets of seen.values()) {
      const followers = hosts.flatMap((host) => [
        ask(budgets, requestOf(host)),
        giveBack(budgets, ticketOf(host, '1')),
      ]);
      for (const next of followers.map((lock) => grant(lock))) {
        expectSound(next);
        expectNobodyWaitsInVain(next);
        if (!seen.has(keyOf(next))) seen.set(keyOf(next), next);
      }
    }
    expect(seen.size).toBeGreaterThan(50);
  });

  const happening = fc.record({
    kind: fc.constantFrom('ask', 'forgets', 'back', 'missed', 'hand over', 'tell'),
    host: fc.constantFrom(...HOSTS),
    other: fc.constantFrom(...HOSTS),
    ticket: fc.integer({ min: 1, max: 3 }),
    grants: fc.boolean(),
  });

  test('no budget is ever exceeded, and nobody is lost or doubled, whatever is repeated, late or forgotten', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        let budgets = UNUSED;
        for (const { kind, host, other, ticket, grants } of happenings) {
          budgets = HAPPENS[kind]?.(budgets, host, ticket, other) ?? budgets;
          if (grants) budgets = grant(budgets);
          expectSound(budgets);
          // A crash in between is a round trip through JSON.
          expect(JSON.parse(JSON.stringify(budgets))).toEqual(budgets);
        }
        expectNobodyWaitsInVain(grant(budgets));
      }),
    );
  });

  test('everybody who waits has a turn, and before everybody who asked later for the same budget', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(HOSTS, { minLength: 1 }), fc.infiniteStream(fc.nat()), (hosts, picks) => {
        let budgets = hosts.reduce((all, host) => ask(all, requestOf(host)), UNUSED);
        const served: string[] = [];
        while (budgets.holders.length + budgets.queue.length > 0) {
          const next = grant(budgets);
          served.push(...names(next.holders).filter((host) => !served.includes(host)));
          expect(next.holders.length).toBeGreaterThan(0);
          const leaving = next.holders[(picks.next().value ?? 0) % next.holders.length];
          budgets = giveBack(next, leaving?.ticket ?? '');
        }
        expect([...served].sort()).toEqual([...hosts].sort());
        const share = (one: string, other: string): boolean =>
          NEEDED[one]?.some((budget) => NEEDED[other]?.includes(budget)) ?? false;
        const overtaken = hosts.filter((host, at) =>
          hosts.slice(at + 1).some((later) => share(host, later) && served.indexOf(later) < served.indexOf(host)),
        );
        expect(overtaken).toEqual([]);
      }),
    );
  });
});

type Happens = (budgets: Lock, host: string, ticket: number, other: string) => Lock;
const HAPPENS: Readonly<Record<string, Happens>> = {
  ask: (budgets, host, ticket) => ask(budgets, requestOf(host, ticket)),
  // The budgets have changed meanwhile: they are those of another host now.
  forgets: (budgets, host, _, other) =>
    ask(budgets, {
      ...requestOf(host),
      needs: requestOf(other).needs,
      ticket: ticketOf(host, `as ${other}`),
      isForgotten: true,
    }),
  back: (budgets, host, ticket) => giveBack(budgets, ticketOf(host, String(ticket))),
  missed: (budgets, host, ticket) => lookedAt(budgets, ticketOf(host, String(ticket)), false),
  'hand over': handedOver,
  tell: told,
};
