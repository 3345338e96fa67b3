import { BeyondBound } from './beyond-bound.ts';
import type { Bound } from './bounds.ts';

/** A bound of a text in JSON. */
export type JsonBound = Bound & Required<Pick<Bound, 'depth' | 'values'>>;

/**
 * Parses a text that somebody else wrote. Throws `BeyondBound`, or the parser's `SyntaxError`. A scan comes first,
 * because the parser takes fifty times as long for nested lists as for one long text, and what reads the value next may
 * recurse.
 */
export function boundedJson(text: string, bound: JsonBound): unknown {
  if (text.length > bound.characters) throw new BeyondBound(bound, 'characters');
  const beyond = beyondOf(text, bound);
  if (beyond !== undefined) throw new BeyondBound(bound, beyond);
  return JSON.parse(text) as unknown;
}

/** Like `boundedJson`; undefined for a text that is refused. */
export function maybeJson(text: string, bound: JsonBound): unknown {
  try {
    return boundedJson(text, bound);
  } catch {
    return undefined;
  }
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [LIST, LIST_END, TABLE, TABLE_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts values by the signs between them, outside of strings. */
function beyondOf(text: string, { values, depth }: JsonBound): 'values' | 'depth' | undefined {
  let [count, deep] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === COMMA || sign === COLON) count += 1;
    else if (sign === LIST_END || sign === TABLE_END) deep -= 1;
    else if (sign === LIST || sign === TABLE) {
      count += 1;
      deep += 1;
      if (deep > depth) return 'depth';
    }
    if (count > values) return 'values';
  }
  return undefined;
}

function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
