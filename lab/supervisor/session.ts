import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from './lock.ts';
import { allocatePorts } from './ports.ts';
import { createRestarter } from './restart.ts';
import { endStaleProcesses } from './stale.ts';
import { type StateFile, stateFile } from './state.ts';
import { Supervisor } from './supervisor.ts';

export interface SessionOptions {
  readonly dir: string;
  /** Delete the folder at the end, also after a crash. */
  readonly ephemeral?: boolean;
  /** Restart crashed services. */
  readonly restart?: boolean;
  /** Called for crashes, restarts, and leftovers of an earlier lab. */
  readonly report?: (name: string, message: string) => void;
}

/** One lab folder that this process holds, from lock to release. */
export interface Session {
  readonly dir: string;
  readonly state: StateFile;
  readonly supervisor: Supervisor;
  /** Ports by name: as last time, else the preferred one, else any free port. */
  ports<Name extends string>(preferred: Readonly<Record<Name, number | undefined>>): Promise<Record<Name, number>>;
  close(): Promise<void>;
}

export const lockPath = (dir: string): string => join(dir, 'supervisor.lock');

/** Takes a lab folder: throws when a lab runs in it, and ends the leftovers of a crashed one. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { dir } = options;
  mkdirSync(dir, { recursive: true });
  const lock = tryLock(lockPath(dir));
  if (lock.kind === 'taken') {
    throw new Error(`a lab is running in ${dir} already (process ${lock.by.pid}); end it with: npx temper lab down`);
  }
  const state = stateFile(dir);
  const report = options.report ?? (() => undefined);
  for (const name of await endStaleProcesses(dir, state.read().processes)) {
    report(name, 'was left running by a lab that crashed, and has been ended');
  }
  state.update((before) => ({ ...before, processes: {}, endpoints: {} }));
  const closing = new AbortController();
  const releases: (() => void)[] = [];
  const restart = createRestarter({ start: (name) => supervisor.startAgain(name), report, signal: closing.signal });
  const supervisor: Supervisor = new Supervisor({
    dir,
    state,
    ephemeral: options.ephemeral === true,
    onCrash: options.restart === true ? restart : (name, ending) => report(name, `ended with ${ending}`),
  });
  state.update((before) => ({ ...before, watchdogPid: supervisor.watchdogPid }));
  return {
    dir,
    state,
    supervisor,
    ports: async (preferred) => {
      const remembered = state.read().ports;
      const wishes = Object.fromEntries(
        (Object.keys(preferred) as (keyof typeof preferred)[]).map((name) => [
          name,
          { remembered: remembered[name], preferred: preferred[name] },
        ]),
      ) as Record<keyof typeof preferred, { remembered: number | undefined; preferred: number | undefined }>;
      const { ports, release } = await allocatePorts(wishes);
      releases.push(release);
      state.update((before) => ({ ...before, ports: { ...before.ports, ...ports } }));
      return ports;
    },
    close: async () => {
      closing.abort();
      try {
        await supervisor.stopAll();
      } finally {
        if (existsSync(dir)) state.update(({ watchdogPid: _gone, ...before }) => ({ ...before, endpoints: {} }));
        for (const release of releases) release();
        lock.release();
        if (options.ephemeral === true) rmSync(dir, { recursive: true, force: true });
      }
    },
  };
}
