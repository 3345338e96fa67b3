/** All that is wrong with an object as one text: each problem once, several of them in brackets. undefined: nothing is. */
export function denial(problems: readonly string[]): string | undefined {
  const said = [...new Set(problems)];
  return said.length > 1 ? `[${said.join(', ')}]` : said[0];
}
