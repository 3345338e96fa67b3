import { BeyondBound } from '../bounds/beyond-bound.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';

/** An annotation, with Go's maximum depth. */
const BOUND = { ...BOUNDS.annotation, depth: 10_000 };

/**
 * Parses the whole text or, with `first value`, only the first value in it, where Go's streaming decoder stops.
 * undefined: it is not valid JSON.
 */
export function readJson(
  text: string,
  extent: 'whole' | 'first value',
): { readonly value: unknown } | BeyondBound | undefined {
  const isShort = text.length <= BOUND.characters;
  try {
    return { value: boundedJson(extent === 'whole' || !isShort ? text : text.slice(0, endOfFirstValue(text)), BOUND) };
  } catch (error) {
    return error instanceof BeyondBound ? error : undefined;
  }
}

/** Counts brackets outside of strings; the parser then checks the text up to there. */
function endOfFirstValue(text: string): number {
  const none = /^[ \t\r\n]*null/.exec(text);
  if (none !== null) return none[0].length;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return text.length;
}
