import PQueue from 'p-queue';
import { DONE, REFUSED, type UNREACHABLE } from '../out.ts';

export type ExitCode = typeof DONE | typeof REFUSED | typeof UNREACHABLE;

interface Asking<Target> {
  /** Number of objects that are asked at the same time. */
  readonly atOnce: number;
  readonly ask: (target: Target) => Promise<ExitCode>;
  /** Takes the lines that show the progress with many objects. */
  readonly tell: (line: string) => void;
}

/** Lines that show the progress with many objects, at most. */
const STEPS = 100;

/**
 * Asks all objects, `atOnce` at the same time, even if some of them refuse. Returns the worst answer, as the exit code.
 */
export async function askAll<Target>(
  targets: readonly Target[],
  { atOnce, ask, tell }: Asking<Target>,
): Promise<number> {
  const answers: ExitCode[] = [];
  const all = targets.length;
  const queue = new PQueue({ concurrency: atOnce });
  await queue.addAll(
    targets.map((target) => async () => {
      answers.push(await ask(target));
      const count = answers.length;
      if (all > 1 && (count === all || count % Math.ceil(all / STEPS) === 0)) tell(`${count} of ${all}`);
    }),
  );
  const count = (code: ExitCode): number => answers.filter((answer) => answer === code).length;
  const [done, refused] = [count(DONE), count(REFUSED)];
  if (all > 1) tell(`${done} done, ${refused} refused, ${all - done - refused} could not be asked`);
  return Math.max(DONE, ...answers);
}
