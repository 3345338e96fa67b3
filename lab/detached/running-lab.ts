import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../platform/process-identity.ts';
import { lockOwner, tryLock } from '../supervisor/lock.ts';
import { lockPath } from '../supervisor/session.ts';
import { endStaleProcesses } from '../supervisor/stale.ts';
import { stateFile } from '../supervisor/state.ts';

interface ServiceStatus {
  readonly name: string;
  readonly pid: number;
  readonly isRunning: boolean;
  readonly log: string | undefined;
}

export interface LabStatus {
  readonly state: 'running' | 'starting' | 'down' | 'crashed';
  readonly dir: string;
  readonly supervisorPid?: number;
  /** Ends everything when the supervisor is killed. */
  readonly watchdogPid?: number;
  readonly services: readonly ServiceStatus[];
  readonly ports: Readonly<Record<string, number>>;
  readonly endpoints: Readonly<Record<string, unknown>>;
}

/** The status of the lab in a folder, whichever process runs it. */
export function labStatus(dir: string): LabStatus {
  const owner = lockOwner(lockPath(dir));
  const { processes, ports, endpoints, watchdogPid } = stateFile(dir).read();
  const services = Object.entries(processes).map(([name, { pid, startTime, log }]) => ({
    name,
    pid,
    isRunning: isAlive({ pid, startTime }),
    log,
  }));
  const state = owner === undefined ? leftBehind(services) : Object.keys(endpoints).length > 0 ? 'running' : 'starting';
  const pids = {
    ...(owner === undefined ? {} : { supervisorPid: owner.pid }),
    ...(owner === undefined || watchdogPid === undefined ? {} : { watchdogPid }),
  };
  const isThere = state !== 'down';
  return { state, dir, ...pids, services: isThere ? services : [], ports, endpoints: isThere ? endpoints : {} };
}

const leftBehind = (services: readonly ServiceStatus[]): 'down' | 'crashed' =>
  services.some(({ isRunning }) => isRunning) ? 'crashed' : 'down';

/** Ends the lab in a folder and the leftovers of a crashed one; returns whether there was anything to end. */
export async function endLab(dir: string): Promise<boolean> {
  if (!existsSync(dir)) return false;
  const owner = lockOwner(lockPath(dir));
  if (owner !== undefined) {
    process.kill(owner.pid, 'SIGTERM');
    const deadline = Date.now() + 90_000;
    while (isAlive(owner)) {
      if (Date.now() > deadline) {
        // Its watchdog then ends the remaining processes.
        process.kill(owner.pid, 'SIGKILL');
        break;
      }
      await sleep(50);
    }
  }
  return withoutLab(dir, async () => {
    const stale = await endStaleProcesses(dir, stateFile(dir).read().processes);
    return owner !== undefined || stale.length > 0;
  });
}

/** Ends the lab and deletes its folder. */
export async function resetLab(dir: string): Promise<void> {
  await endLab(dir);
  if (existsSync(dir)) await withoutLab(dir, async () => rmSync(dir, { recursive: true, force: true }));
}

async function withoutLab<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const lock = tryLock(lockPath(dir));
  if (lock.kind === 'taken') throw new Error(`another lab has just been started in ${dir} (process ${lock.by.pid})`);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
