import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** The parameters of every measurement. */
export interface Bench {
  /** Aborts when the user stops the benchmark. */
  readonly interrupt: AbortSignal;
  /** Reports progress on stderr; results go to stdout. */
  readonly say: (line: string) => void;
  /** Runs `use` in the folder, or in a temporary folder that is deleted afterwards. */
  readonly inFolder: (given: string | undefined, use: (dir: string) => Promise<void>) => Promise<void>;
}

export async function inFolder(given: string | undefined, use: (dir: string) => Promise<void>): Promise<void> {
  if (given !== undefined) return use(resolve(given));
  const dir = await mkdtemp(join(tmpdir(), 'temper-bench-'));
  try {
    await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
};
