import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LabMachine } from '../../../../lab/machines/machine.ts';
import type { SharedLab } from '../../setup/share.ts';

/** Machine sizes repeat after this number, so that a file's n-th machine has the same size in every lab. */
const BLOCK = 4;

/** Machines for one file only. They are not returned, because other files need unused ones. */
export function takeMachines({ dir, machines }: SharedLab, wanted: number | readonly string[]): readonly LabMachine[] {
  if (typeof wanted !== 'number') return machines.filter(({ name }) => wanted.includes(name));
  const folder = join(dir, 'taken');
  mkdirSync(folder, { recursive: true });
  const taken: LabMachine[] = [];
  for (let first = 0; taken.length < wanted; first += BLOCK) {
    if (first >= machines.length) throw new Error(`the shared lab has fewer than ${wanted} machines left`);
    if (takes(join(folder, String(first)))) taken.push(...machines.slice(first, first + BLOCK));
  }
  return taken.slice(0, wanted);
}

/** Only one process can create a folder. */
function takes(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
