import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { linuxStat } from '../../platform/process-identity.ts';

/** Living members of a process group; zombies are left out. */
export function groupMembers(group: number): readonly number[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && isLivingMember(entry, group))
      .map(Number);
  }
  try {
    return execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith('Z'))
      .map(([pid]) => Number(pid));
  } catch {
    return [];
  }
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = linuxStat(pid);
    return stat.group === group && !stat.isDead;
  } catch {
    // It has ended since the folder was read.
    return false;
  }
}
