import type { Applicant } from './lock.ts';
import type { LockPolicy } from './policy.ts';

/*
 * The line of waiting hosts is in the order in which they are served. Where namespaces have turns, it holds at any time:
 * before the first host of a namespace, and between two hosts of it that follow each other, there is at most one host of
 * each other namespace.
 */

/** The line with another host at its turn. */
export function joined(queue: readonly Applicant[], entry: Applicant, { turnsOf }: LockPolicy): readonly Applicant[] {
  if (turnsOf === 'requests') return [...queue, entry];
  const behind = queue.findLastIndex(({ group }) => group === entry.group) + 1;
  const passed = new Set<string>();
  let at = behind;
  for (const { group } of queue.slice(behind)) {
    if (passed.has(group)) break;
    passed.add(group);
    at += 1;
  }
  return queue.toSpliced(at, 0, entry);
}

/** The line without those who leave it before their turn: the next of their namespace move up to their positions. */
export function left(
  queue: readonly Applicant[],
  isLeaving: (entry: Applicant) => boolean,
  { turnsOf }: LockPolicy,
): readonly Applicant[] {
  const staying = queue.filter((entry) => !isLeaving(entry));
  if (turnsOf === 'requests' || staying.length === queue.length) return staying;
  const ofGroup = Map.groupBy(staying, ({ group }) => group);
  const used = new Map<string, number>();
  return queue.flatMap(({ group }) => {
    const index = used.get(group) ?? 0;
    used.set(group, index + 1);
    const next = ofGroup.get(group)?.[index];
    return next === undefined ? [] : [next];
  });
}
