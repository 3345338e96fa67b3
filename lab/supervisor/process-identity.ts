import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** Undefined when the process does not exist; a zombie counts as dead. */
function startTimeOf(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxStartTime(pid) : portableStartTime(pid);
}

export function processIdentityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startTime;
}

interface LinuxStat {
  readonly state: string;
  readonly group: number;
  readonly startTicks: string;
}

function linuxStat(pid: number | string): LinuxStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name is in parentheses and may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', group: Number(fields[2]), startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function linuxStartTime(pid: number): string | undefined {
  const stat = linuxStat(pid);
  if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return undefined;
  return `${bootId()}/${stat.startTicks}`;
}

/** Start times count from boot, so the boot id is part of them. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return 'boot';
  }
}

function portableStartTime(pid: number): string | undefined {
  try {
    const [state, ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

/** Living members of a process group; zombies are left out. */
export function groupMembers(group: number): readonly number[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .filter((entry) => {
        const stat = linuxStat(entry);
        return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
      })
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
