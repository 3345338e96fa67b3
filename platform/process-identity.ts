import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export function processIdentityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export const isAlive = ({ pid, startTime }: ProcessIdentity): boolean => startTimeOf(pid) === startTime;

/** Undefined when the process does not exist; a zombie counts as dead. */
function startTimeOf(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? linuxStartTime(pid) : portableStartTime(pid);
  } catch {
    return undefined;
  }
}

/** Throws when the process does not exist. */
export function linuxStat(pid: number | string): { isDead: boolean; group: number; startTicks: string } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { isDead: /[ZX]/.test(fields[0] ?? ''), group: Number(fields[2]), startTicks: fields[19] ?? '' };
}

function linuxStartTime(pid: number): string | undefined {
  const { isDead, startTicks } = linuxStat(pid);
  return isDead ? undefined : `${bootId()}/${startTicks}`;
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
  const [state, ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  return state === undefined || state === '' || state.startsWith('Z') ? undefined : started.join(' ');
}
