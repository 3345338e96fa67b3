import type { EntityView } from '../../domain/entity/view.ts';
import type { Written } from '../ledger.ts';

/** The source of a view: published by its workflow, or the answer to a query sent at this time (ms). */
export type Origin = { readonly kind: 'workflow' } | { readonly kind: 'query'; readonly askedAt: number };

export type Verdict =
  /** To be written. */
  | 'news'
  /** Something newer was written: a late retry, or an answer that was overtaken. */
  | 'superseded'
  /** The run was set back (reset in the Web UI, or Temporal's database restored) and knows less than was written. */
  | 'behind';

/**
 * Compares a view with what was written last. Revisions count within one chain of runs only; a run that was reset counts
 * on from where it was reset to, which shows by the time at which it came to its revision.
 */
export function judge(
  view: Pick<EntityView, 'run' | 'revision' | 'at'>,
  origin: Origin,
  written: Pick<Written, 'run' | 'revision' | 'viewAt' | 'at'> | undefined,
): Verdict {
  if (written === undefined) return 'news';
  const isAnswerOfToday = origin.kind === 'query' && origin.askedAt > written.at;
  if (view.run === written.run) {
    if (view.revision < written.revision) {
      return view.at > written.viewAt || isAnswerOfToday ? 'behind' : 'superseded';
    }
    return view.at < written.viewAt ? 'superseded' : 'news';
  }
  if (view.at < written.viewAt) return 'superseded';
  // An answer from before the last write may be its predecessor's.
  return origin.kind === 'query' && !isAnswerOfToday ? 'superseded' : 'news';
}
