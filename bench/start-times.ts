import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Lab, type LabOptions, startLab } from '../lab/lab.ts';
import { seconds } from './spread.ts';

/** Seconds. */
export interface StartTimes {
  /** The first step of `npm start`: check whether everything is installed. */
  readonly setup: number;
  /** Until every part is ready, in a new folder, with all programs in the cache. */
  readonly first: number;
  /** The same in a folder of an earlier lab. */
  readonly second?: number;
}

const timed = async <T>(work: () => Promise<T>): Promise<{ readonly took: number; readonly result: T }> => {
  const began = performance.now();
  const result = await work();
  return { took: seconds(performance.now() - began), result };
};

export async function timeSetup(): Promise<number> {
  const script = fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url));
  return (await timed(() => execa(process.execPath, [script]))).took;
}

/** Runs `use` in a lab, passes it the duration of the start, and always ends the lab. */
export async function inLab<T>(options: LabOptions, use: (lab: Lab, took: number) => Promise<T>): Promise<T> {
  const { took, result: lab } = await timed(() => startLab(options));
  try {
    return await use(lab, took);
  } finally {
    await lab.stop();
  }
}
