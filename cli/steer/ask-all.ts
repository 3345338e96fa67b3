import PQueue from 'p-queue';
import { DONE, REFUSED, type UNREACHABLE } from '../out.ts';

export type ExitCode = typeof DONE | typeof REFUSED | typeof UNREACHABLE;

interface Asking {
  /** Number of objects that are asked at the same time. */
  readonly atOnce: number;
  readonly ask: (name: string) => Promise<ExitCode>;
  /** Takes the lines that show the progress with many objects. */
  readonly tell: (line: string) => void;
}

/** Lines that show the progress with many objects, at most. */
const STEPS = 100;

/**
 * Asks all objects, `atOnce` at the same time, even if some of them refuse. Returns the worst answer, as the exit code.
 */
export async function askAll(names: readonly string[], { atOnce, ask, tell }: Asking): Promise<number> {
  const answers: ExitCode[] = [];
  const queue = new PQueue({ concurrency: atOnce });
  await queue.addAll(
    names.map((name) => async () => {
      answers.push(await ask(name));
      const count = answers.length;
      if (names.length > 1 && (count === names.length || count % Math.ceil(names.length / STEPS) === 0))
        tell(`${count} of ${names.length}`);
    }),
  );
  const count = (code: ExitCode): number => answers.filter((answer) => answer === code).length;
  const [done, refused] = [count(DONE), count(REFUSED)];
  if (names.length > 1) tell(`${done} done, ${refused} refused, ${names.length - done - refused} could not be asked`);
  return Math.max(DONE, ...answers);
}
