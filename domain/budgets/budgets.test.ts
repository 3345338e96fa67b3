import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answers,
  ask,
  atTheEnd,
  type Budgets,
  giveBack,
  grant,
  lookedAt,
  type PlaceApplicant,
  type PlaceRequest,
  tidied,
  UNUSED,
  waitedFor,
} from './budgets.ts';
import { detailsOf } from './words.ts';

const idOf = (host: string): string => `baremetalhost/metal/${host}`;
const aRequest = (host: string, needs: Readonly<Record<string, number>>, change: Partial<PlaceRequest> = {}) => ({
  holder: idOf(host),
  uid: host,
  ticket: `${host}/1`,
  needs: Object.entries(needs).map(([budget, limit]) => ({ budget, limit })),
  underway: false,
  ...change,
});
const asked = (...requests: readonly PlaceRequest[]): Budgets => requests.reduce(ask, UNUSED);
const names = (entries: readonly PlaceApplicant[]): readonly string[] =>
  entries.map(({ holder }) => holder.slice(idOf('').length));
const both = ({ holders, queue }: Budgets): readonly (readonly string[])[] => [names(holders), names(queue)];
/** Everybody is told. */
const told = (budgets: Budgets): Budgets => answers(budgets, 1_000).budgets;
const obstacles = (budgets: Budgets) => answers(budgets, 1_000).told.map(({ waitsFor }) => waitsFor);

describe('places in a budget', () => {
  test('go to those who asked first, as many as there are, and to the next when one is given back', () => {
    const full = grant(asked(aRequest('a', { all: 2 }), aRequest('b', { all: 2 }), aRequest('c', { all: 2 })));
    expect(both(full)).toEqual([['a', 'b'], ['c']]);
    expect(both(grant(giveBack(giveBack(full, 'a/1'), 'a/1')))).toEqual([['b', 'c'], []]);
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
    expect(both(grant(giveBack(later, 'a/1')))).toEqual([['b'], ['c']]);
  });

  test('are as many as the host that asks again knows by now', () => {
    const full = grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }), aRequest('c', { all: 1 })));
    const more = ask(full, aRequest('b', { all: 2 }));
    expect(both(grant(more))).toEqual([['a', 'b'], ['c']]);
    const fewer = grant(ask(grant(more), aRequest('c', { all: 1 })));
    expect(both(grant(giveBack(fewer, 'a/1')))).toEqual([['b'], ['c']]);
  });

  test('are freed by the request of their holder for others, so that two hosts can change places', () => {
    const full = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 1 })));
    const first = grant(ask(full, aRequest('a', { rack: 1 }, { ticket: 'a/2' })));
    expect(both(first)).toEqual([['b'], ['a']]);
    expect(both(grant(ask(first, aRequest('b', { zone: 1 }, { ticket: 'b/2' }))))).toEqual([['a', 'b'], []]);
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
  const full = (): Budgets => told(grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }))));

  test('that is repeated keeps its place and is answered again', () => {
    const again = ask(ask(full(), aRequest('a', { all: 1 })), aRequest('b', { all: 1 }));
    expect(both(again)).toEqual([['a'], ['b']]);
    expect(answers(again, 9).told.map(({ applicant }) => applicant.ticket)).toEqual(['a/1', 'b/1']);
  });

  test('of another step of its holder begins anew', () => {
    const next = ask(full(), aRequest('a', { all: 1 }, { ticket: 'a/2' }));
    expect(both(grant(next))).toEqual([['b'], ['a']]);
  });

  test('of a host whose run was lost keeps its place, in the queue and after the step has begun', () => {
    const third = ask(full(), aRequest('c', { all: 1 }));
    expect(both(ask(third, aRequest('b', { all: 1 }, { ticket: 'b/2' })))).toEqual([['a'], ['b', 'c']]);
    expect(both(ask(third, aRequest('a', { all: 1 }, { ticket: 'a/2', underway: true })))).toEqual([['a'], ['b', 'c']]);
  });

  test('of a lost run that may have forgotten a place keeps it, if it is in all of the budgets that it names', () => {
    const before = told(grant(asked(aRequest('a', { rack: 1, zone: 1 }), aRequest('b', { rack: 1 }))));
    const kept = grant(ask(before, aRequest('a', { rack: 1 }, { ticket: 'a/2', isForgotten: true })));
    expect(both(kept)).toEqual([['a'], ['b']]);
    expect(kept.holders).toMatchObject([{ ticket: 'a/2', untold: true }]);
    const recreated = aRequest('a', { rack: 1 }, { uid: 'new', ticket: 'new/1', isForgotten: true });
    expect(both(grant(ask(before, recreated)))).toEqual([['b'], ['a']]);
  });

  test('of a lost run that needs other budgets by now waits until there is room in all of them', () => {
    const full = grant(asked(aRequest('a', { zone: 1 }), aRequest('b', { rack: 1 })));
    const forgetful = aRequest('a', { zone: 1, rack: 1 }, { ticket: 'a/2', isForgotten: true });
    const waiting = grant(ask(full, forgetful));
    expect(both(waiting)).toEqual([['b'], ['a']]);
    expect(both(grant(giveBack(waiting, 'b/1')))).toEqual([['a'], []]);
  });

  test('of a recreated host of the same name goes to the end', () => {
    const third = ask(full(), aRequest('c', { all: 1 }));
    expect(both(ask(third, aRequest('b', { all: 1 }, { uid: 'new', ticket: 'new/1' })))).toEqual([['a'], ['c', 'b']]);
  });

  test('after the begin of a step counts, also above the limit', () => {
    const over = ask(full(), aRequest('c', { all: 1 }, { underway: true }));
    expect(both(grant(over))).toEqual([['a', 'c'], ['b']]);
    expect(both(grant(giveBack(over, 'a/1')))).toEqual([['c'], ['b']]);
  });
});

describe('who waits', () => {
  test('is told for which budget, who has it, and how many are before it', () => {
    const waiting = grant(
      asked(aRequest('a', { all: 1 }), aRequest('b', { rack: 9, all: 1 }), aRequest('c', { rack: 1, all: 1 })),
    );
    const of = { budget: 'all', limit: 1, held: 1, holders: [idOf('a')] };
    expect(obstacles(waiting)).toEqual([undefined, { ...of, ahead: 0 }, { ...of, ahead: 1 }]);
    expect(detailsOf(waiting)).toBe(
      `1 hosts have their places in budgets, 2 hosts wait\n- ${idOf('a')}: all\n\nNext in line:\n1. ${idOf('b')}: all; rack\n1. ${idOf('c')}: all; rack`.replaceAll(
        'all; rack',
        'rack; all',
      ),
    );
  });

  test('is told again when another host has it, the first of a line alone', () => {
    const hosts = Array.from({ length: 9 }, (_, index) => `h${index}`);
    const full = told(grant(asked(...hosts.map((host) => aRequest(host, { all: 1 })))));
    expect(answers(full, 9).told).toEqual([]);
    const next = grant(giveBack(full, 'h0/1'));
    expect(names(answers(next, 9).told.map(({ applicant }) => applicant))).toEqual([
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
    ]);
  });

  test('is told in the order of asking, however few at a time', () => {
    const first = answers(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 })), 1);
    expect(names(first.told.map(({ applicant }) => applicant))).toEqual(['a']);
    expect(names(answers(first.budgets, 1).told.map(({ applicant }) => applicant))).toEqual(['b']);
  });
});

test('the place of a run that is missed twice in turn is free', () => {
  const full = lookedAt(grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 }))), 'a/1', true);
  const missed = lookedAt(full, 'a/1', false);
  expect(both(grant(missed))).toEqual([['a'], ['b']]);
  expect(both(grant(lookedAt(lookedAt(missed, 'a/1', true), 'a/1', false)))).toEqual([['a'], ['b']]);
  expect(both(grant(lookedAt(missed, 'a/1', false)))).toEqual([['b'], []]);
});

test('the place of a run that is not there when it gets it is free at once', () => {
  const full = grant(asked(aRequest('a', { all: 1 }), aRequest('b', { all: 1 })));
  expect(both(grant(lookedAt(full, 'a/1', false)))).toEqual([['b'], []]);
});

test('ten thousand hosts that wait are not more than a run may hand on to the next', () => {
  const uuid = 'f3a1c7de-0000-4000-8000-000000000000';
  const budget = 'erase,power-off in Cluster metal/production, topology.kubernetes.io/zone=';
  const waiting = Array.from({ length: 10_000 }, (_, index) => ({
    holder: `baremetalhost/metal/rack-12-host-${index}`,
    ticket: `${uuid}/${uuid}`,
    needs: [[index % 100, 2] as const, [100, 20] as const],
  }));
  const budgets = { ...UNUSED, names: Array.from({ length: 101 }, (_, at) => `${budget}${at}`), queue: waiting };
  expect(Buffer.byteLength(JSON.stringify(tidied(budgets)))).toBeLessThan(2 * 1024 ** 2 - 100_000);
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
  const tidy = tidied(giveBack(all, 'a/1'));
  expect(tidy).toMatchObject({ names: ['rack'], holders: [{ needs: [[0, 3]] }] });
});

/** Budgets with one limit for everybody. */
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
    ticket: `${host}/${ticket}`,
  });

/** No budget has more holders than its limit, and nobody is there twice. */
function expectSound(budgets: Budgets): void {
  for (const [budget, limit] of Object.entries(LIMITS)) {
    const holding = budgets.holders.filter(({ needs }) => needs.some(([index]) => budgets.names[index] === budget));
    expect(holding.length).toBeLessThanOrEqual(limit);
  }
  const all = names([...budgets.holders, ...budgets.queue]);
  expect(new Set(all).size).toBe(all.length);
}

/** After a grant, a host waits only for a budget that is used up, or for one before it in the line. */
function expectNobodyWaitsInVain(budgets: Budgets): void {
  const untold = { ...budgets, queue: budgets.queue.map((entry) => ({ ...entry, untold: true as const })) };
  const inVain = obstacles(untold).filter(
    (waitsFor) => waitsFor !== undefined && waitsFor.held < waitsFor.limit && waitsFor.ahead === 0,
  );
  expect(inVain).toEqual([]);
}

describe('with requests and returns in any order', () => {
  test('no budget is ever exceeded, in all of the situations that four hosts can be in', () => {
    const hosts = HOSTS.slice(0, 4);
    const keyOf = (budgets: Budgets): string => JSON.stringify(both(tidied(budgets)));
    const seen = new Map([[keyOf(UNUSED), UNUSED]]);
    for (const budgets of seen.values()) {
      const followers = hosts.flatMap((host) => [ask(budgets, requestOf(host)), giveBack(budgets, `${host}/1`)]);
      for (const next of followers.map(grant)) {
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

type Happens = (budgets: Budgets, host: string, ticket: number, other: string) => Budgets;
const HAPPENS: Readonly<Record<string, Happens>> = {
  ask: (budgets, host, ticket) => ask(budgets, requestOf(host, ticket)),
  // The budgets have changed meanwhile: they are those of another host now.
  forgets: (budgets, host, _, other) =>
    ask(budgets, {
      ...requestOf(host),
      needs: requestOf(other).needs,
      ticket: `${host}/as ${other}`,
      isForgotten: true,
    }),
  back: (budgets, host, ticket) => giveBack(budgets, `${host}/${ticket}`),
  missed: (budgets, host, ticket) => lookedAt(budgets, `${host}/${ticket}`, false),
  'hand over': tidied,
  tell: told,
};
