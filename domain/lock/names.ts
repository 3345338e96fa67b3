import { unanswered } from './answers.ts';
import type { Applicant, Lock } from './lock.ts';
import { isShort, shortName } from './marks.ts';
import { giveBack } from './requests.ts';

/** Names that are asked for at once: the answer has at most 170 kB. */
const AT_ONCE = 500;

/** What stands for the names of the hosts that are told next. */
export function namesToLearn(lock: Lock): readonly string[] {
  const { granted, waiting } = unanswered(lock, AT_ONCE);
  return shortOf([...granted, ...waiting]);
}

/** What stands for the names among these. */
export const shortOf = (entries: readonly Applicant[]): readonly string[] =>
  entries.flatMap(({ holder }) => (isShort(holder) ? [holder] : [])).slice(0, AT_ONCE);

/** Puts in the names that were asked for. A host that nobody knows does not exist any more: its place is free. */
export function withNames(lock: Lock, asked: readonly string[], ids: readonly string[]): Lock {
  const known = new Map(ids.map((id) => [shortName(id), id]));
  const unknown = new Set(asked.filter((short) => !known.has(short)));
  const named = (entry: Applicant): Applicant => {
    const holder = known.get(entry.short);
    return holder === undefined ? entry : { ...entry, holder };
  };
  const all: Lock = { ...lock, holders: lock.holders.map(named), queue: lock.queue.map(named) };
  const gone = [...all.holders, ...all.queue].filter(({ short }) => unknown.has(short));
  return gone.reduce((rest, { ticket }) => giveBack(rest, ticket), all);
}

/** The ids of those that the short names stand for. */
export function idsOf(asked: readonly string[], all: Iterable<string>): readonly string[] {
  const wanted = new Set(asked);
  const found: string[] = [];
  for (const id of all) if (wanted.has(shortName(id))) found.push(id);
  return found;
}
