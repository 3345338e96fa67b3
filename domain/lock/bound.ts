import type { Applicant, Lock, TurnedAway } from './lock.ts';
import { isShort, shortName } from './marks.ts';
import type { LockPolicy } from './policy.ts';

/*
 * A run hands its lock on to the next one in one payload, of which Temporal takes 2 MB and Temper promises 1 MB. The
 * names of 10,000 hosts alone may have 3 MB, so only those that are needed first are handed on. Of the others, and of
 * their budgets, the next run gets what stands for the name (`shortName`), and asks the bridge for the name when a host
 * is to be told something (`names.ts`). Order, tickets and limits of all hosts are handed on.
 */

/** Bytes of a lock without any name; who does not fit is refused. 10,000 hosts with two budgets each fit. */
const MOST = 865_000;
/** The same with the names that fit. */
const FULL = 930_000;
/** Hosts at once that are told that they were refused: 58 kB. Others ask again and are told then. */
const MOST_REFUSED = 150;

function weightOf({ names, holders, queue }: Entries): number {
  let weight = names.length * (SHORT_NAME + AROUND);
  for (const { size } of holders) weight += size;
  for (const { size } of queue) weight += size;
  return weight;
}

type Entries = Pick<Lock, 'names' | 'holders' | 'queue'>;

/**
 * Beyond the bound, refuses the last in line of the namespace that takes most of it, so that no tenant fills the line,
 * and then the newest holders.
 */
export function bounded(lock: Lock): Lock {
  let excess = weightOf(lock) - MOST;
  if (excess <= 0) return lock;
  const staying = { queue: [...lock.queue], holders: [...lock.holders] };
  const refused: TurnedAway[] = [...lock.refused];
  const refuse = ({ holder, ticket, size }: Applicant): void => {
    excess -= size;
    if (!isShort(holder)) refused.push({ holder, ticket });
  };
  const weights = new Map<string, number>();
  for (const { group, size } of staying.queue) weights.set(group, (weights.get(group) ?? 0) + size);
  while (excess > 0 && staying.queue.length > 0) {
    const [heaviest] = [...weights].reduce((most, each) => (each[1] > most[1] ? each : most));
    const [last] = staying.queue.splice(
      staying.queue.findLastIndex(({ group }) => group === heaviest),
      1,
    );
    if (last === undefined) break;
    weights.set(heaviest, (weights.get(heaviest) ?? 0) - last.size);
    refuse(last);
  }
  while (excess > 0) {
    const last = staying.holders.pop();
    if (last === undefined) break;
    refuse(last);
  }
  return { ...lock, ...staying, refused: refused.slice(-MOST_REFUSED) };
}

type Row = readonly [
  holder: string,
  ticket: string,
  /** Index of each budget, and its limit. */
  needs: readonly number[],
  node: string,
  group: string,
  marks: number,
];

/** A lock as one run hands it on to the next. */
export interface PackedLock {
  readonly policy: LockPolicy;
  readonly names: readonly string[];
  readonly holders: readonly Row[];
  readonly queue: readonly Row[];
  readonly refused: readonly TurnedAway[];
}

const UNTOLD = 1;
const UNSEEN = 2;

/** The lock in at most 1 MB, without the names of budgets that no host needs any more. */
export function packed(lock: Lock): PackedLock {
  const { policy, refused, ...rest } = tidied(lock);
  const { names, holders, queue } = withNamesThatFit(rest);
  const rows = { holders: holders.map(rowOf), queue: queue.map(rowOf) };
  return { policy, names: names.map(({ name }) => name), ...rows, refused };
}

const rowOf = ({ holder, ticket, needs, node, group, unanswered, unconfirmed }: Applicant): Row => [
  holder,
  ticket,
  needs.flat(),
  node,
  group,
  (unanswered ? UNTOLD : 0) + (unconfirmed ? UNSEEN : 0),
];

export const unpacked = ({ policy, names, holders, queue, refused }: PackedLock): Lock => ({
  policy,
  names: names.map((name) => ({ name, short: shortName(name) })),
  holders: holders.map(applicantOf),
  queue: queue.map(applicantOf),
  refused,
});

const applicantOf = ([holder, ticket, numbers, node, group, marks]: Row): Applicant =>
  sized({
    holder,
    short: shortName(holder),
    ticket,
    needs: numbers.flatMap((budget, at) => (at % 2 === 0 ? [[budget, numbers[at + 1] ?? 0] as const] : [])),
    node,
    group,
    ...((marks & UNTOLD) !== 0 && { unanswered: true as const }),
    ...((marks & UNSEEN) !== 0 && { unconfirmed: true as const }),
  });

/** Keeps the names of the first holders and of the first in line, with their budgets, and shortens the others. */
function withNamesThatFit({ names, holders, queue }: Entries): Entries {
  let room = FULL - weightOf({ names, holders, queue });
  const kept = new Set<string>();
  const keep = (name: string): void => {
    const more = isShort(name) || kept.has(name) ? 0 : name.length - SHORT_NAME;
    if (more > room) return;
    kept.add(name);
    room -= more;
  };
  for (let at = 0; at < Math.max(holders.length, queue.length) && room > 0; at++) {
    for (const entry of [holders[at], queue[at]]) {
      if (entry === undefined) continue;
      keep(entry.holder);
      for (const [budget] of entry.needs) keep(names[budget]?.name ?? '');
    }
  }
  const shortened = (entry: Applicant): Applicant =>
    kept.has(entry.holder) ? entry : { ...entry, holder: entry.short };
  return {
    names: names.map((budget) => (kept.has(budget.name) ? budget : { ...budget, name: budget.short })),
    holders: holders.map(shortened),
    queue: queue.map(shortened),
  };
}

/** Drops the names of budgets that no host needs any more. */
function tidied(lock: Lock): Lock {
  const used = new Map<number, number>();
  for (const { needs } of [...lock.holders, ...lock.queue])
    for (const [index] of needs) if (!used.has(index)) used.set(index, used.size);
  const renumbered = (entry: Applicant): Applicant => ({
    ...entry,
    needs: entry.needs.map(([index, limit]) => [used.get(index) ?? 0, limit] as const),
  });
  return {
    ...lock,
    names: [...used.keys()].flatMap((index) => lock.names[index] ?? []),
    holders: lock.holders.map(renumbered),
    queue: lock.queue.map(renumbered),
  };
}

/** Characters of what stands for a name. */
const SHORT_NAME = 12;
/** Quotes and comma of a text in JSON. */
const AROUND = 3;
/** Brackets, commas and the number of the marks of a row. */
const ROW = 12;

/** The applicant with its size. */
export function sized(applicant: Omit<Applicant, 'size'>): Applicant {
  const { ticket, needs, group, node } = applicant;
  const numbers = needs.reduce((sum, [budget, limit]) => sum + `${budget},${limit},`.length, 0);
  return { ...applicant, size: ROW + numbers + SHORT_NAME + ticket.length + group.length + node.length + 4 * AROUND };
}
