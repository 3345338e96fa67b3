import { believed } from '../../domain/clock.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import type { Written } from '../ledger.ts';

/** The source of a view: published by its workflow, or the answer to a query sent at this time (ms). */
export type Origin = { readonly kind: 'workflow' } | { readonly kind: 'query'; readonly askedAt: number };

export type ViewVerdict =
  /** The view is written. */
  | 'news'
  /** A newer view was written already: this one is a late retry, or its query was overtaken. */
  | 'superseded'
  /** The run was reset in the Web UI, or Temporal's database was restored: the run knows less than was written. */
  | 'behind';

/**
 * Compares a view with the last write. Revisions can be compared only within one chain of runs. A reset run counts on
 * from an old revision, which shows in the time of the revision.
 */
export function judge(
  view: Pick<EntityView, 'run' | 'reset' | 'revision' | 'at'>,
  origin: Origin,
  written: Pick<Written, 'run' | 'revision' | 'viewAt' | 'at'> | undefined,
  now: number,
): ViewVerdict {
  // A bridge that has just started has nothing to compare the view with: the run itself knows that it was reset.
  if (view.reset !== undefined) return 'behind';
  if (written === undefined) return 'news';
  const isAnswerOfToday = origin.kind === 'query' && origin.askedAt > believed(written.at, now);
  if (view.run === written.run) {
    if (view.revision < written.revision) {
      return view.at > written.viewAt || isAnswerOfToday ? 'behind' : 'superseded';
    }
    return isEarlier(view.at, written.viewAt, now) ? 'superseded' : 'news';
  }
  if (isEarlier(view.at, written.viewAt, now)) return 'superseded';
  // A query that was answered before the last write may have been answered by the previous run.
  return origin.kind === 'query' && !isAnswerOfToday ? 'superseded' : 'news';
}

const isAhead = (at: number, now: number): boolean => believed(at, now) !== at;

/** A time of a clock that was ahead says nothing about times of the same clock since it is right. */
const isEarlier = (at: number, before: number, now: number): boolean =>
  at < before && isAhead(at, now) === isAhead(before, now);
