import { type HistoryEntry, historyOf } from './history.ts';
import type { Steerable } from './steerable.ts';

type Annotations = Readonly<Record<string, string>>;

/** The list in which these annotations, which somebody has set without a message, are refused. */
interface JudgedAnnotations {
  readonly entries: readonly HistoryEntry[];
  /** The keys of the refused annotations. */
  readonly refused: readonly string[];
}

/**
 * Judges annotations that are new in a settled list as the messages that ask for the same. One that was accepted holds
 * until it is removed, whatever the state of its object is by then.
 */
export function judged<Facts extends { readonly annotations: Annotations }>(
  settled: readonly HistoryEntry[],
  object: Facts,
  { followed, refusal }: Pick<Steerable<Facts>, 'followed' | 'refusal'>,
): JudgedAnnotations {
  const known = historyOf(object.annotations);
  return followed.reduce<JudgedAnnotations>(
    ({ entries, refused }, { key, what, asMessage }) => {
      const index = entries.findLastIndex((entry) => entry.what === what && entry.open);
      const entry = entries[index];
      if (asMessage === undefined || entry === undefined || known.some((each) => each.what === what && each.open))
        return { entries, refused };
      const others = Object.entries(object.annotations).filter(([other]) => other !== key && !refused.includes(other));
      const message = asMessage(entry, object.annotations[key] ?? '');
      const why = refusal({ ...object, annotations: Object.fromEntries(others) }, message);
      if (why === undefined) return { entries, refused };
      const { open: _, ...told } = entry;
      return { entries: entries.with(index, { ...told, refused: why }), refused: [...refused, key] };
    },
    { entries: settled, refused: [] },
  );
}
