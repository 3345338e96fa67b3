import { isMap, isPair, isScalar, isSeq } from 'yaml';
import { offsetOf } from './anchors.ts';
import { TextError } from './problem.ts';

/**
 * Throws for the three forms within brackets that upstream's parser reads as something else than ours: `[a:]`, `[?a]`
 * and `[!tag, a]`.
 */
export function checkFlow(collection: unknown, text: string): void {
  if (!(isMap(collection) || isSeq(collection)) || collection.flow !== true) return;
  for (const item of collection.items) {
    checkScalar(isPair(item) ? item.key : item, text);
    if (isPair(item)) checkScalar(item.value, text);
    if (isPair(item) && isScalar(item.key) && item.key.type === 'PLAIN') {
      const end = item.key.range?.[1] ?? 0;
      if (/^:[,\]}]/.test(text.slice(end, end + 2))) throw new TextError('a blank is missing after the colon', end);
    }
  }
}

function checkScalar(scalar: unknown, text: string): void {
  const offset = offsetOf(scalar) ?? 0;
  if (!isScalar(scalar)) return;
  if (scalar.type === 'PLAIN' && /^\?\S/.test(text.slice(offset, offset + 2)))
    throw new TextError('a text that begins with a question mark needs quotes', offset);
  if (scalar.tag !== undefined && scalar.source === '') throw new TextError('a tag has no value', offset);
}
