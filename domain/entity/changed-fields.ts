/** Most characters that are kept: a row shows fewer. */
const LONGEST = 200;

/** Adds what a snapshot has changed, in words, to what earlier ones have: each once, and the rest cut off. */
export function withChangedFields(before: string, more: string): string {
  const told = new Set([...before.split(', '), ...more.split(', ')]);
  told.delete('');
  return [...told].join(', ').slice(0, LONGEST);
}
