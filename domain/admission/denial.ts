/**
 * All problems of an object as one text: without duplicates, several of them in brackets. undefined when there is none.
 */
export function denial(problems: readonly string[]): string | undefined {
  const said = [...new Set(problems)];
  return said.length > 1 ? `[${said.join(', ')}]` : said[0];
}
