import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Lab, type LabOptions, startLab } from '../lab/lab.ts';
import { seconds } from './spread.ts';

/** Seconds. */
export interface StartTimes {
  /** What `npm start` does before all else: look whether everything is installed. */
  readonly setup: number;
  /** Until every part is ready, in a new folder, with all programs in the cache. */
  readonly first: number;
  /** The same in a folder that a lab was in before. */
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

/** Runs `use` in a lab, tells it how long the start took, and ends the lab whatever happens. */
export async function inLab<T>(options: LabOptions, use: (lab: Lab, took: number) => Promise<T>): Promise<T> {
  const { took, result: lab } = await timed(() => startLab(options));
  try {
    return await use(lab, took);
  } finally {
    await lab.stop();
  }
}
