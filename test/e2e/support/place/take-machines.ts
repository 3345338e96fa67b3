import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LabMachine } from '../../../../lab/machines/machine.ts';
import type { SharedLab } from '../../setup/share.ts';

/** The sizes of machines repeat after so many: a file's n-th machine has the same size in every lab. */
const BLOCK = 4;

/** Machines that no other file has. They are not given back, because the next file needs them as they came. */
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

/** The file system lets only one process create a folder. */
function takes(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
