import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { historyOf, historyValue } from './history.ts';

type Annotations = Readonly<Record<string, string>>;

const { retry, history } = STEERING_ANNOTATIONS;

/**
 * Names the retry for which an object asks: its text, after what the list on the object has of it, so that a second one
 * with the same text has another name. undefined: the object asks for none.
 */
export function retryWish(annotations: Annotations): string | undefined {
  const value = annotations[retry];
  if (value === undefined) return undefined;
  const entries = historyOf(annotations).filter(({ what }) => what === 'retry');
  const index = entries.findLastIndex(({ open }) => open);
  const entry = entries[index];
  if (entry === undefined) return value;
  // Times have no fractions of a second.
  const before = entries.slice(0, index).filter(({ at }) => at === entry.at).length;
  return `${entry.id ?? `${entry.at}/${before}`} ${value}`;
}

/**
 * The annotations that a view writes. A retry that the run has not taken yet stays; the list no longer has a removed one
 * as open, so that the next one is another entry.
 */
export function removingTaken(
  annotations: Annotations,
  wanted: Readonly<Record<string, string | null>>,
  isTaken: (wish: string) => boolean,
): Readonly<Record<string, string | null>> {
  const wish = retryWish(annotations);
  if (wish === undefined || wanted[retry] !== null) return wanted;
  const { [retry]: _, ...others } = wanted;
  if (!isTaken(wish)) return others;
  const entries = historyOf(annotations);
  if (!entries.some(({ what, open }) => what === 'retry' && open)) return wanted;
  const closed = entries.map(({ open, ...entry }) => (open && entry.what !== 'retry' ? { ...entry, open } : entry));
  return { ...wanted, [history]: historyValue(closed) };
}
