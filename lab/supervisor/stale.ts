import { readFileSync } from 'node:fs';
import { isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import { groupMembers } from './group-members.ts';
import { endGroup } from './process-group.ts';

/** Environment variable of all processes of a lab, so that they can be recognised. */
export const LAB_DIR_VARIABLE = 'TEMPER_LAB_DIR';

/** Ends the leftovers of an earlier lab in the same folder; returns the names of the services. */
export async function endStaleProcesses(
  dir: string,
  recorded: Readonly<Record<string, ProcessIdentity>>,
): Promise<readonly string[]> {
  const stale = Object.entries(recorded).filter(([, identity]) => isOurs(dir, identity));
  await Promise.all(stale.map(([, { pid }]) => endGroup(pid, 'SIGTERM', 5_000)));
  return stale.map(([name]) => name);
}

/**
 * A leader may have died before its children: then the group is ours when a member has our folder in its environment.
 */
function isOurs(dir: string, identity: ProcessIdentity): boolean {
  if (isAlive(identity)) return true;
  return groupMembers(identity.pid).some((pid) => environmentOf(pid).includes(`${LAB_DIR_VARIABLE}=${dir}`));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
