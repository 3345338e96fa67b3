/** Go's maximum depth. */
const DEEPEST = 10_000;

/**
 * Parses the whole text or, with `first value`, only the first value in it, where Go's streaming decoder stops.
 * undefined: it is not valid JSON.
 */
export function readJson(text: string, extent: 'whole' | 'first value'): { readonly value: unknown } | undefined {
  const end = endOfFirstValue(text);
  if (end === 'too deep') return undefined;
  try {
    return { value: JSON.parse(extent === 'whole' ? text : text.slice(0, end)) as unknown };
  } catch {
    return undefined;
  }
}

/** Counts brackets outside of strings; the parser then checks the text up to there. */
function endOfFirstValue(text: string): number | 'too deep' {
  const none = /^[ \t\r\n]*null/.exec(text);
  if (none !== null) return none[0].length;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > DEEPEST) return 'too deep';
    if (depth === 0) return index + token.length;
  }
  return text.length;
}
