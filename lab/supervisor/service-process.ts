import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Service } from '../service.ts';
import { GO_ENVIRONMENT } from './go-environment.ts';

/** Why the process of a service ended, in words. */
type Ending = string;

/** One start of a service: its process leads a process group of its own. */
export interface ServiceProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  hasEnded(): boolean;
}

const LOG_LIMIT = 20 * 1024 * 1024;

export function spawnService(service: Service, log: string, env: Readonly<Record<string, string>>): ServiceProcess {
  mkdirSync(dirname(log), { recursive: true });
  setLongLogAside(log);
  const output = openSync(log, 'a');
  let child: ChildProcess;
  try {
    child = spawn(service.command, [...service.args], {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...GO_ENVIRONMENT, ...process.env, ...env, ...service.env },
      ...(service.cwd === undefined ? {} : { cwd: service.cwd }),
    });
  } finally {
    closeSync(output);
  }
  let over = false;
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  void ended.then(() => {
    over = true;
  });
  if (child.pid === undefined)
    throw new Error(`${service.name} could not be started: no such program ${service.command}`);
  return { pid: child.pid, ended, hasEnded: () => over };
}

/** The last lines of a log, for the error of a service that did not start. */
export function tailOf(log: string, lines = 12): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}

function setLongLogAside(log: string): void {
  try {
    if (statSync(log).size > LOG_LIMIT) renameSync(log, `${log}.1`);
  } catch {
    // The log does not exist yet.
  }
}
