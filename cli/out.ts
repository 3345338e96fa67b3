import { messageOf } from '../domain/message-of.ts';

/** Where the command writes. */
export interface Out {
  readonly line: (text: string) => void;
  /** Progress and problems. */
  readonly aside: (text: string) => void;
}

/** Exit codes. */
export const DONE = 0;
/** At least one object refused. */
export const REFUSED = 1;
/** The command line is wrong. */
export const WRONG = 2;
/** At least one object could not be asked. */
export const UNREACHABLE = 3;

export const OUT: Out = {
  line: (text) => void process.stdout.write(`${text}\n`),
  aside: (text) => void process.stderr.write(`${text}\n`),
};

/** A line that is safe for a terminal: objects and servers may have put control characters into it. */
export const printable = (line: string): string => line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

export function print<T>(out: Out, output: 'text' | 'json', found: T, lines: (found: T) => readonly string[]): void {
  if (output === 'json') out.line(JSON.stringify(found, null, 2));
  else for (const line of lines(found)) out.line(printable(line));
}

/** Ends the command without an error when the program that reads its output, such as `head`, has closed the pipe. */
export const endWithReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
};

/** Help was asked for, or the line was wrong: commander has said which. */
export const wrong = (args: readonly string[]): Promise<number> =>
  Promise.resolve(args.some((word) => word === '--help' || word === '-h') ? 0 : WRONG);

export async function orUnreachable(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    OUT.aside(`temper: ${messageOf(error)}`);
    return UNREACHABLE;
  }
}
