import { shortened, summaryLine } from './details.ts';
import type { Step } from './entity.ts';
import type { Listed } from './listed.ts';
import type { Markdown } from './markdown.ts';

/** What the row of the timeline says with which a view is published. */
export interface StatusRow {
  readonly state: string;
  /** What snapshots have changed since the last row, in words; '' for nothing. */
  readonly changedFields: string;
  /** The wait that the run is in, as `waitOfRow` says it, and the one in which it was at the last row. */
  readonly wait: string;
  readonly waitBefore: string;
}

/**
 * The reason of a wait for a person, which a row has to tell, because no timer does; '' for another wait. Those end by
 * themselves, and nothing, or a timer, shows them. It does not depend on the time: a wait is told once.
 */
export function waitOfRow(
  { reason, cause = reason, until }: Extract<Step<unknown, unknown>, { readonly kind: 'wait' }>,
  waitsFor: Listed['waitsFor'],
): string {
  return until === undefined && waitsFor === 'person' ? cause : '';
}

/** Beside a wait, the changed fields get less than half of the line. */
const FIELDS_BESIDE_WAIT = 32;

/** The row: the state, what has changed in the object before, and the wait that has begun or ended. */
export function statusRow({ state, changedFields, wait, waitBefore }: StatusRow): Markdown {
  const waits = wait === waitBefore ? '' : wait === '' ? `no longer ${waitWords(waitBefore)}` : waitWords(wait);
  const fields = waits === '' ? changedFields : shortened(changedFields, FIELDS_BESIDE_WAIT);
  const news = [fields, waits].filter((text) => text !== '').join('; ');
  return summaryLine([`Status ${state}`.trim(), ...(news === '' ? [] : [news])].join(': '));
}

const waitWords = (wait: string): string =>
  wait.startsWith('waiting ') ? `waits ${wait.slice('waiting '.length)}` : `waits: ${wait}`;
