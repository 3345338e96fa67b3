import { withNews } from './answers.ts';
import { left } from './line.ts';
import { type Applicant, type Lock, nodeMark } from './lock.ts';

/**
 * Gives places to the waiting hosts in the order of the line. A host gets all of its places at once, and only if no host
 * before it waits for one of the same budgets. So no host is overtaken, and none holds a place while it waits for
 * another.
 *
 * `busy` has the UUIDs of the nodes that Ironic was working on in a list that was requested after the last place was
 * returned. A busy node without a place uses up one place, even if Temper has not started it. A host whose own node is
 * busy gets its place at once: it uses no additional one.
 */
export function grant(lock: Lock, busy: readonly string[] = []): Lock {
  const nodes = new Set(busy.map(nodeMark));
  const isAtWork = ({ node }: Applicant): boolean => node !== '' && nodes.has(node);
  const atWork = lock.queue.filter(isAtWork);
  const line = atWork.length === 0 ? lock.queue : left(lock.queue, isAtWork, lock.policy);
  const holding = [...lock.holders, ...atWork];
  const known = new Set(holding.map(({ node }) => node));
  const strangers = [...nodes].filter((node) => !known.has(node)).length;
  const taken = takenIn(holding);
  const awaited = new Set<number>();
  const inTurn = line.filter(({ needs }) => {
    const fits = needs.every(([budget, limit]) => !awaited.has(budget) && (taken.get(budget) ?? 0) + strangers < limit);
    for (const [budget] of needs) {
      if (fits) taken.set(budget, (taken.get(budget) ?? 0) + 1);
      else awaited.add(budget);
    }
    return fits;
  });
  if (atWork.length + inTurn.length === 0) return lock;
  const given = new Set(inTurn);
  const granted = [...atWork, ...inTurn].map((entry): Applicant => ({ ...entry, unanswered: true, unconfirmed: true }));
  const queue = line.filter((entry) => !given.has(entry));
  return withNews({ ...lock, holders: [...lock.holders, ...granted], queue }, granted);
}

function takenIn(holders: readonly Applicant[]): Map<number, number> {
  const taken = new Map<number, number>();
  for (const { needs } of holders) for (const [budget] of needs) taken.set(budget, (taken.get(budget) ?? 0) + 1);
  return taken;
}

/** True when a place is free for somebody who waits, as far as the lock knows without a list of busy nodes. */
export const hasFreePlace = (lock: Lock): boolean => grant(lock) !== lock;

/** True when a list of busy nodes could lead to a grant: a place is free, or the node of a waiting host may be busy. */
export const mayGrant = (lock: Lock): boolean =>
  lock.queue.some(({ unanswered, node }) => unanswered === true && node !== '') || hasFreePlace(lock);
