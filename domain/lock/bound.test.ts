import { describe, expect, test } from 'vitest';
import { answers } from './answers.ts';
import { bounded, packed, unpacked } from './bound.ts';
import { grant } from './grant.ts';
import { type Lock, type PlaceRequest, unused } from './lock.ts';
import { isShort, shortName, ticketOf } from './marks.ts';
import { placeRequest } from './message-shapes.ts';
import { idsOf, namesToLearn, withNames } from './names.ts';
import { LOCKS, type LockName, SLOTS_IN_IRONIC } from './policy.ts';
import { ask } from './requests.ts';
import { detailsOf, viewOf } from './words.ts';

const MEGABYTE = 1_000_000;
const HOSTS = 10_000;
const bytes = (payload: unknown): number => Buffer.byteLength(JSON.stringify(payload));
const long = (name: string | number, length: number): string => String(name).padStart(length, 'x');
/** A label with the longest key and value that the API server takes. */
const LABEL = `${long('p', 253)}/${long('rack', 63)}`;

/** The request of a host with the longest names, in one of ten namespaces. */
function aRequest(lock: LockName, index: number, change: Partial<PlaceRequest> = {}): PlaceRequest {
  const namespace = long(index % 10, 63);
  const uid = long(index, 36);
  const cluster = `Cluster ${namespace}/${long(index % 100, 253)}`;
  const rack = `erase,power-off,firmware in ${cluster}, ${LABEL}=${long(index, 63)}`;
  return {
    holder: `baremetalhost/${namespace}/${long(index, 253)}`,
    uid,
    ticket: ticketOf(uid, long(index, 36)),
    needs:
      lock === 'slots'
        ? [{ budget: SLOTS_IN_IRONIC, limit: 20 }]
        : [
            { budget: `all in ${cluster}`, limit: 20 },
            { budget: rack, limit: 1 },
          ],
    underway: false,
    ...(lock === 'slots' && { nodeId: long(index, 36) }),
    ...change,
  };
}

const filled = (lock: LockName, count = HOSTS, change: Partial<PlaceRequest> = {}): Lock =>
  Array.from({ length: count }, (_, index) => aRequest(lock, index, change)).reduce(ask, unused(LOCKS[lock].policy));
const indexOf = (holder: string): number => Number(holder.replaceAll(/^.*\/x*/g, ''));

describe.each(['slots', 'budgets'] as const)('ten thousand hosts with the longest names that wait for %s', (name) => {
  const lock = filled(name);
  const start = packed(lock);

  test('fit into every payload, and nobody is refused', () => {
    expect(bytes({ name, policy: lock.policy, lock: start })).toBeLessThan(MEGABYTE);
    expect(start.queue).toHaveLength(HOSTS);
    expect(lock.refused).toEqual([]);
    expect(bytes(viewOf(lock))).toBeLessThan(MEGABYTE);
    expect(bytes(detailsOf(grant(lock)))).toBeLessThan(MEGABYTE);
    const { told } = answers(grant(lock), HOSTS);
    expect(Math.max(...told.map(bytes))).toBeLessThan(10_000);
    expect(placeRequest(aRequest(name, HOSTS), 'request')).toBeUndefined();
  });

  test('have places in the same order after a run was continued as new', () => {
    const next = unpacked(JSON.parse(JSON.stringify(start)) as typeof start);
    const tickets = (some: Lock): readonly string[] => [...some.holders, ...some.queue].map(({ ticket }) => ticket);
    expect(tickets(grant(next))).toEqual(tickets(grant(lock)));
    expect(next.queue.slice(0, 50).some(({ holder }) => isShort(holder))).toBe(false);
    expect(next.queue.some(({ holder }) => isShort(holder))).toBe(true);
    expect(packed(next)).toEqual(start);
  });

  test('are known when they ask again, although the run has only what stands for their names', () => {
    const next = unpacked(start);
    const again = [9_999, 9_998, 0].map((index) => aRequest(name, index)).reduce(ask, next);
    expect(again.queue.map(({ ticket }) => ticket)).toEqual(next.queue.map(({ ticket }) => ticket));
    expect(again.names).toHaveLength(next.names.length);
    expect(isShort(again.queue.find(({ ticket }) => ticket === aRequest(name, 9_999).ticket)?.holder ?? '')).toBe(
      false,
    );
  });

  test('get their names from the bridge before they are told, as many at once as fit', () => {
    const next = unpacked(packed({ ...lock, queue: lock.queue.toReversed().slice(0, 9_000) }));
    const everybody = { ...next, queue: next.queue.toReversed() };
    const wanted = namesToLearn(everybody);
    expect(wanted).toHaveLength(500);
    const ids = Array.from({ length: HOSTS }, (_, index) => aRequest(name, index).holder);
    const found = idsOf(wanted, ids);
    expect([bytes({ asked: wanted }), bytes({ ids: found })].every((size) => size < MEGABYTE)).toBe(true);
    const [gone = '', ...rest] = found;
    const named = withNames(everybody, wanted, rest);
    expect(named.queue).toHaveLength(everybody.queue.length - 1);
    expect(named.queue.some(({ holder }) => holder === gone || holder === shortName(gone))).toBe(false);
    expect(named.queue.filter(({ holder }) => rest.includes(holder))).toHaveLength(499);
  });
});

test('ten thousand hosts that all have places in budgets fit too', () => {
  const lock = filled('budgets', HOSTS, { underway: true });
  expect(lock.holders).toHaveLength(HOSTS);
  expect(bytes(packed(lock))).toBeLessThan(MEGABYTE);
});

describe('beyond the bound', () => {
  test('the last in line is refused, with the number of those who wait, and is in line when there is room', () => {
    const needs = Array.from({ length: 100 }, (_, at) => ({ budget: `budget ${at}`, limit: 10_000 }));
    const full = filled('budgets', 1_000, { needs });
    expect(bytes(packed(full))).toBeLessThan(MEGABYTE);
    expect(full.queue.length).toBeLessThan(1_000);
    const inLine = full.queue.map(({ holder }) => indexOf(holder));
    expect(inLine).toEqual(inLine.toSorted((a, b) => a - b));
    const last = aRequest('budgets', 999, { needs });
    expect(answers(full, 1_000).told).toContainEqual({
      holder: last.holder,
      news: { kind: 'refused', ticket: last.ticket, waiting: full.queue.length },
    });
    const roomy = ask({ ...full, queue: full.queue.slice(1) }, last);
    expect(roomy.queue.at(-1)?.holder).toBe(last.holder);
    expect(roomy.refused.some(({ holder }) => holder === last.holder)).toBe(false);
  });

  test.each(['slots', 'budgets'] as const)(
    'a namespace with few hosts is in line, and the last one of the namespace with most is refused: %s',
    (name) => {
      const { queue, ...rest } = filled(name, 1);
      const [one] = queue;
      if (one === undefined) throw new Error('there is one in line');
      const many = Array.from({ length: 20_000 }, (_, index) => ({
        ...one,
        ticket: `t${index}`,
        holder: `h/a/${index}`,
      }));
      const full = bounded({ ...rest, queue: many });
      expect(full.queue.length).toBeGreaterThan(HOSTS);
      const other = ask(full, aRequest(name, 1));
      expect(other.queue.map(({ holder }) => holder)).toContain(aRequest(name, 1).holder);
      expect(other.queue.length).toBeGreaterThan(full.queue.length - 3);
      expect(other.refused.at(-1)?.holder).toMatch(/^h\/a\//);
      expect(bytes(packed(other))).toBeLessThan(MEGABYTE);
    },
  );

  test('a step that has begun takes the room of the last in line', () => {
    const needs = Array.from({ length: 100 }, (_, at) => ({ budget: `budget ${at}`, limit: 10_000 }));
    const full = filled('budgets', 1_000, { needs });
    const begun = ask(full, aRequest('budgets', 1_000, { needs, underway: true }));
    expect(begun.holders).toHaveLength(1);
    expect(begun.queue).toHaveLength(full.queue.length - 1);
  });
});

test('requests with texts that are longer than any name are not taken', () => {
  const good = aRequest('budgets', 1);
  expect(placeRequest(good, 'request')).toBeUndefined();
  for (const bad of [
    { ...good, holder: long('h', 341) },
    { ...good, holder: 'ä' },
    { ...good, ticket: long('t', 41) },
    { ...good, needs: [{ budget: long('b', 1_025), limit: 1 }] },
    { ...good, needs: Array.from({ length: 101 }, () => ({ budget: 'b', limit: 1 })) },
  ])
    expect(placeRequest(bad, 'request')).toBeDefined();
});
