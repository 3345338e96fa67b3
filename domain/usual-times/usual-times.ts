import { believed } from '../clock.ts';
import { type BusyState, busyTraits } from '../states/table.ts';
import type { Passage } from './busy-state.ts';
import { type Sketch, summaryOf, withDuration } from './sketch.ts';

/** How long states take, by hardware model: learned from hosts that passed them. */
export type UsualTimes = Readonly<Record<string, ModelTimes>>;

export interface ModelTimes {
  /** When something was learned last; ms since the epoch. */
  readonly learnedAt: number;
  readonly states: Readonly<Partial<Record<BusyState, Sketch>>>;
}

export interface UsualTime {
  /**
   * 95 of 100 hosts of this model take at most this long; with too few measurements, the value assumed for any model;
   * ms.
   */
  readonly usualMs: number;
  /** A host that takes longer is stuck; ms. */
  readonly limitMs: number;
  /** Number of measurements. */
  readonly count: number;
  /** False: too few measurements, so `usualMs` is the assumed value. */
  readonly isMeasured: boolean;
}

/** Maximum number of models. Beyond it, the models with the oldest last measurement are forgotten. */
export const MOST_MODELS = 64;
/** With fewer measurements, the assumed value counts too. */
const ENOUGH = 20;
/**
 * The limit as a multiple of p95: the lowest, for durations that hardly vary, and the highest, for those that vary
 * much. The lowest is for what is normal and too rare to be measured yet, such as a step that Ironic repeats:
 * docs/operations/usual-times.md has the numbers.
 */
const PATIENCE = { least: 3, most: 8 };
/** The limit as a multiple of the assumed value, which may be far off. */
const PATIENCE_WITHOUT_KNOWLEDGE = 12;
const MINUTE_MS = 60_000;
/** The shortest limit: what usually takes a second may take a minute when Ironic is busy. */
const SOONEST_MS = 5 * MINUTE_MS;

export function usualTime(times: UsualTimes, model: string, state: BusyState): UsualTime {
  const assumed = busyTraits(state).minutes * MINUTE_MS;
  const { count, p95Ms, farMs } = summaryOf(statesOf(times, model)[state] ?? {});
  const learnedMs = count === 0 ? 0 : Math.min(Math.max(PATIENCE.least * p95Ms, farMs), PATIENCE.most * p95Ms);
  const isMeasured = count >= ENOUGH;
  const assumedLimitMs = isMeasured ? SOONEST_MS : assumed * PATIENCE_WITHOUT_KNOWLEDGE;
  return { usualMs: isMeasured ? p95Ms : assumed, limitMs: Math.max(learnedMs, assumedLimitMs), count, isMeasured };
}

/** A duration beyond the limit counts as the limit: a host that hung must not make others hang unnoticed. */
export function learned(times: UsualTimes, model: string, { state, ms }: Passage, now: number): UsualTimes {
  const { limitMs } = usualTime(times, model, state);
  const known = statesOf(times, model);
  const sketch = withDuration(known[state] ?? {}, Math.min(ms, limitMs));
  return bounded({ ...times, [model]: { learnedAt: now, states: { ...known, [state]: sketch } } }, now);
}

/**
 * The names of models come from servers. One may be `constructor`, which every JavaScript object has: that value has no
 * states.
 */
const statesOf = (times: UsualTimes, model: string): ModelTimes['states'] => times[model]?.states ?? {};

function bounded(times: UsualTimes, now: number): UsualTimes {
  const models = Object.entries(times);
  if (models.length <= MOST_MODELS) return times;
  const learnedAt = ({ learnedAt: at }: ModelTimes): number => believed(at, now);
  return Object.fromEntries(models.toSorted(([, a], [, b]) => learnedAt(b) - learnedAt(a)).slice(0, MOST_MODELS));
}
