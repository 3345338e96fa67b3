import { setTimeout as sleep } from 'node:timers/promises';
import { groupMembers } from './group-members.ts';

/** Sends a signal to every process of a group; a group without processes is no error. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isGroupGone(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return true;
  }
  // The kernel also counts zombies, and without an init as process 1 nobody reaps them.
  return groupMembers(group).length === 0;
}

/** Ends a group with SIGTERM and then SIGKILL. Returns when it has no processes. */
export async function endGroup(group: number, polite: NodeJS.Signals, graceMs: number): Promise<void> {
  signalGroup(group, polite);
  if (await goneWithin(group, graceMs)) return;
  signalGroup(group, 'SIGKILL');
  if (!(await goneWithin(group, 5_000))) {
    throw new Error(`process group ${group} is still there 5 s after SIGKILL: ${groupMembers(group).join(', ')}`);
  }
}

async function goneWithin(group: number, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!isGroupGone(group)) {
    if (Date.now() >= deadline) return false;
    await sleep(25);
  }
  return true;
}
