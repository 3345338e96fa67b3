import { type Mark, markText, type Patience } from '../../domain/ironic/mark.ts';
import { createKept } from '../../platform/kept.ts';
import { type Clocks, PROCESS_CLOCKS } from '../permits/clocks.ts';

/**
 * How long (ms) a request with this mark has been without an answer. When this process first sees a mark, the time in
 * it counts, unless it is in the future or very old: then the clock that wrote it may be wrong, or our own, and the mark
 * counts from now on. From then on the monotonic clock counts.
 */
export type MarkAges = (mark: Mark) => number;

export function createMarkAges(
  { lockDeadlineMs }: Pick<Patience, 'lockDeadlineMs'>,
  { wall, monotonic }: Clocks = PROCESS_CLOCKS,
): MarkAges {
  const oldestMs = 2 * lockDeadlineMs;
  const seen = createKept<{ readonly age: number; readonly at: number }>(oldestMs);
  return (mark) => {
    const text = markText(mark);
    const first = seen.get(text);
    if (first !== undefined) return first.age + monotonic() - first.at;
    const told = wall() - Date.parse(mark.at);
    const age = told >= 0 && told <= oldestMs ? told : 0;
    seen.put(text, { age, at: monotonic() });
    return age;
  };
}
