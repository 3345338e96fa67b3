import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../supervisor/wait.ts';
import type { KubeletNode } from './addresses.ts';

const ROOT = '/sys/fs/cgroup';

/** The cgroup of all Pods of a node, in every hierarchy. */
export const cgroupOf = ({ name }: KubeletNode): string => `temper-${name}`;

const pathsOf = async (node: KubeletNode): Promise<readonly string[]> => {
  const hierarchies = (await readdir(ROOT)).map((name) => join(ROOT, name));
  return hierarchies.filter((path) => existsSync(join(path, 'cgroup.procs'))).map((path) => join(path, cgroupOf(node)));
};

/** A kubelet creates cgroups below this one, but not itself. */
export async function createCgroup(node: KubeletNode): Promise<void> {
  for (const path of await pathsOf(node)) {
    await mkdir(path, { recursive: true });
    // Without these, no process can be in it.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (existsSync(join(path, file))) await writeFile(join(path, file), await readFile(join(path, '..', file)));
  }
}

/** Removes the cgroup with all below it, as soon as the last process in it has ended. */
export async function removeCgroup(node: KubeletNode, signal: AbortSignal): Promise<void> {
  for (const path of await pathsOf(node)) await until(`the end of ${path}`, () => removeTree(path), signal);
}

async function removeTree(path: string): Promise<void> {
  if (!existsSync(path)) return;
  // The files of a cgroup are not deleted: its folder is removed with them.
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await removeTree(join(path, entry.name));
  await rmdir(path);
}
