import { toSeconds } from '../entity/conditions.ts';
import type { Condition } from '../entity/view.ts';
import { secondsAsGoDuration } from '../go/duration.ts';
import type { BusyState } from '../states/table.ts';
import type { UsualTime } from './usual-times.ts';

/** Condition that exists while a host stays in a state for much longer than is usual for its hardware. */
export const STUCK = 'Stuck';

/** To the run of a host: the host of this uid is stuck in this state. */
export interface StuckObservation {
  readonly uid: string;
  readonly state: string;
}

export interface Overdue {
  readonly state: BusyState;
  /** ms since the epoch. */
  readonly since: number;
  readonly model: string;
  readonly usual: UsualTime;
}

export const isOverdue = ({ since, usual }: Pick<Overdue, 'since' | 'usual'>, now: number): boolean =>
  now - since > usual.limitMs;

/** The cause, if one is known: the first diagnosis, with the next thing to do. */
interface Because {
  readonly id: string;
  readonly cause: string;
  readonly risk?: string;
  readonly next: string;
}

/** The text contains no elapsed time, so it stays the same while the host is stuck. */
export const stuckCondition = (overdue: Overdue, because: Because): Condition => ({
  type: STUCK,
  status: 'True',
  reason: reasonOf(because.id),
  message: [duration(overdue), because.cause, ...(because.risk === undefined ? [] : [because.risk]), because.next].join(
    ' ',
  ),
});

/** An id of a diagnosis as the reason of a condition: `LongerThanUsual`. */
export const reasonOf = (id: string): string =>
  id.replaceAll(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());

function duration({ state, since, model, usual: { usualMs, limitMs, count } }: Overdue): string {
  const source = count === 0 ? 'assumed, nothing was measured yet' : `measured ${count} times on hardware '${model}'`;
  return `The host is ${state} since ${toSeconds(since)}. That usually takes at most ${inWords(usualMs)} (${source}), and is an alarm after ${inWords(limitMs)}.`;
}

/** Since when the host is in its state, as the condition says; ms since the epoch. */
export function sinceIn({ message }: Pick<Condition, 'message'>): number | undefined {
  const since = Date.parse(/^The host is [a-z ]+ since (\S+)\. /.exec(message)?.[1] ?? '');
  return Number.isNaN(since) ? undefined : since;
}

const inWords = (ms: number): string => secondsAsGoDuration(Math.round(ms / 1_000));
