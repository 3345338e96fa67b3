import { type Applicant, type Lock, type TurnedAway, withoutMark } from './lock.ts';
import { isShort } from './marks.ts';

/** Why a host waits. */
export interface Obstacle {
  /** The name of the budget, or what stands for it (`shortName`). */
  readonly budget: string;
  readonly limit: number;
  /** Number of hosts that have a place in the budget, and the first of them. */
  readonly held: number;
  readonly holders: readonly string[];
  /** Number of hosts that are served before in the same budget. */
  readonly ahead: number;
}

/** What a lock tells a host; `ticket` is that of its request. */
export type PlaceNews =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'queued'; readonly ticket: string; readonly waitsFor: Obstacle }
  /** There is no room in the line: the host asks again later. `waiting`: how many are in the line. */
  | { readonly kind: 'refused'; readonly ticket: string; readonly waiting: number };

export interface Told {
  readonly holder: string;
  readonly news: PlaceNews;
}

/** The first `most` hosts without an answer, holders first, and the lock in which they are marked as answered. */
export function answers(lock: Lock, most: number): { readonly lock: Lock; readonly told: readonly Told[] } {
  const { granted, refused, waiting } = unanswered(lock, most);
  const now = new Set([...granted, ...waiting]);
  const isRefused = new Set(refused);
  const marked = (entry: Applicant): Applicant => (now.has(entry) ? withoutMark(entry, 'unanswered') : entry);
  const count = lock.queue.length;
  const obstacles = obstaclesOf(lock, waiting);
  return {
    lock: {
      ...lock,
      holders: granted.length === 0 ? lock.holders : lock.holders.map(marked),
      queue: waiting.length === 0 ? lock.queue : lock.queue.map(marked),
      refused: lock.refused.filter((entry) => !isRefused.has(entry)),
    },
    told: [
      ...granted.map(({ holder, ticket }): Told => ({ holder, news: { kind: 'granted', ticket } })),
      ...refused.map(({ holder, ticket }): Told => ({ holder, news: { kind: 'refused', ticket, waiting: count } })),
      ...waiting.map((entry): Told => {
        const { holder, ticket } = entry;
        const waitsFor = obstacles.get(entry) ?? decisive([]);
        return { holder, news: { kind: 'queued', ticket, waitsFor } };
      }),
    ],
  };
}

/** Who is told next. */
export function unanswered(
  { holders, refused, queue }: Lock,
  most: number,
): {
  readonly granted: readonly Applicant[];
  readonly refused: readonly TurnedAway[];
  readonly waiting: readonly Applicant[];
} {
  const granted = holders.filter((entry) => entry.unanswered).slice(0, most);
  const turnedAway = refused.slice(0, most - granted.length);
  const waiting = queue.filter((entry) => entry.unanswered).slice(0, most - granted.length - turnedAway.length);
  return { granted, refused: turnedAway, waiting };
}

const NAMED = 5;

/** Why each of these hosts waits, in one pass through the lock: each may need a hundred budgets. */
function obstaclesOf({ names, holders, queue }: Lock, waiting: readonly Applicant[]): ReadonlyMap<Applicant, Obstacle> {
  const found = new Map<Applicant, Obstacle>();
  if (waiting.length === 0) return found;
  const wanted = new Set(waiting);
  const holding = holdersOf(holders);
  const ahead = new Map<number, number>();
  for (const entry of queue) {
    if (wanted.has(entry)) {
      const obstacles = entry.needs.map(
        ([index, limit]): Obstacle => ({
          budget: names[index]?.name ?? '',
          limit,
          ...(holding.get(index) ?? { held: 0, holders: [] }),
          ahead: ahead.get(index) ?? 0,
        }),
      );
      found.set(entry, decisive(obstacles));
    }
    for (const budget of budgetsOf(entry)) ahead.set(budget, (ahead.get(budget) ?? 0) + 1);
  }
  return found;
}

/** By budget, how many hosts have a place in it, and the names of the first of them. */
function holdersOf(holders: readonly Applicant[]): ReadonlyMap<number, Pick<Obstacle, 'held' | 'holders'>> {
  const holding = new Map<number, { held: number; readonly holders: string[] }>();
  for (const entry of holders) {
    for (const budget of budgetsOf(entry)) {
      const known = holding.get(budget) ?? { held: 0, holders: [] };
      known.held += 1;
      if (known.holders.length < NAMED && !isShort(entry.holder)) known.holders.push(entry.holder);
      holding.set(budget, known);
    }
  }
  return holding;
}

const budgetsOf = ({ needs }: Applicant): ReadonlySet<number> => new Set(needs.map(([budget]) => budget));

/** A budget without a free place, or else one for which other hosts are served before. */
const decisive = (obstacles: readonly Obstacle[]): Obstacle =>
  obstacles.find(({ held, limit }) => held >= limit) ??
  obstacles.find(({ ahead }) => ahead > 0) ??
  obstacles[0] ?? { budget: '', limit: 0, held: 0, holders: [], ahead: 0 };

/** Marks the first hosts that wait for a budget when holders came or left: they are signalled again. */
export function withNews(lock: Lock, changes: readonly Applicant[]): Lock {
  const { toldOfChanges } = lock.policy;
  const changed = new Set(changes.flatMap(({ needs }) => needs.map(([budget]) => budget)));
  if (toldOfChanges === 0 || changed.size === 0) return lock;
  const told = new Map<number, number>();
  const isNews = ([budget]: readonly [number, number]): boolean => {
    const count = told.get(budget) ?? 0;
    told.set(budget, count + 1);
    return changed.has(budget) && count < toldOfChanges;
  };
  const queue = lock.queue.map((entry) =>
    entry.needs.filter(isNews).length === 0 ? entry : { ...entry, unanswered: true as const },
  );
  return { ...lock, queue };
}
