import { type Applicant, type Lock, withoutMark } from './lock.ts';
import { giveBack } from './requests.ts';

/**
 * Records whether the run of a holder existed when it was signalled. When it is missing twice in a row, its place
 * becomes free: the bridge starts a lost run again between two looks. A holder that has just got its place loses it at
 * once.
 */
export function lookedAt(lock: Lock, ticket: string, isThere: boolean): Lock {
  const found = lock.holders.find((entry) => entry.ticket === ticket);
  if (found === undefined || (isThere && !found.unconfirmed)) return lock;
  if (!isThere && found.unconfirmed) return giveBack(lock, ticket);
  const looked: Applicant = isThere ? withoutMark(found, 'unconfirmed') : { ...found, unconfirmed: true };
  return { ...lock, holders: lock.holders.map((entry) => (entry === found ? looked : entry)) };
}

/** The holders of places that others wait for. */
export function waitedFor({ holders, queue }: Lock): readonly Applicant[] {
  const awaited = new Set(queue.flatMap(({ needs }) => needs.map(([budget]) => budget)));
  return holders.filter(({ needs }) => needs.some(([budget]) => awaited.has(budget)));
}

/** Moves these holders behind the others, without changing their order. */
export function atTheEnd(lock: Lock, looked: readonly Applicant[]): Lock {
  const tickets = new Set(looked.map(({ ticket }) => ticket));
  const isLookedAt = ({ ticket }: Applicant): boolean => tickets.has(ticket);
  const { holders } = lock;
  return { ...lock, holders: [...holders.filter((each) => !isLookedAt(each)), ...holders.filter(isLookedAt)] };
}
