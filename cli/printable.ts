import type { Out } from './out.ts';

/** A line that is safe for a terminal: objects and servers may have put control characters into it. */
export const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

export function print<T>(out: Out, output: 'text' | 'json', found: T, lines: (found: T) => readonly string[]): void {
  if (output === 'json') out.line(JSON.stringify(found, null, 2));
  else for (const line of lines(found)) out.line(printable(line));
}
