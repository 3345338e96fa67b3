import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from '../rights.ts';

/** The variable with the folder that has, for each process, by how many milliseconds its date is ahead. */
export const CLOCK_FOLDER = 'TEMPER_LAB_CLOCKS';

/** The files are named like the folders of the programs. */
const FILES: Readonly<Record<Program, string>> = { bridge: 'k8s-bridge', workers: 'workers' };

/** The environment of processes whose clocks can be set. */
export const withClocks = (folder: string): Readonly<Record<string, string>> => ({
  [CLOCK_FOLDER]: folder,
  NODE_OPTIONS: `--import=${new URL('shifted.ts', import.meta.url).href}`,
});

/** From its next start on, the date of the process is ahead of the computer's. */
export async function setClock(folder: string, program: Program, aheadMs: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILES[program]), String(aheadMs));
}
