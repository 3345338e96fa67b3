import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process that ends all groups given to it when its parent dies for any reason. */
export interface Watchdog {
  readonly pid: number;
  guard(group: number): void;
  release(group: number): void;
  /** Ends the watchdog without ending any group. */
  dismiss(): Promise<void>;
}

/** With `removeDir` the folder is deleted after a crash, so that test labs leave nothing behind. */
export function startWatchdog(removeDir?: string): Watchdog {
  const program = fileURLToPath(new URL('./watchdog-main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...(removeDir === undefined ? [] : [removeDir])], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // The settings of a test runner or debugger for Node are not passed on.
    env: { PATH: process.env['PATH'] ?? '' },
  });
  if (child.pid === undefined) throw new Error(`the lab's watchdog could not be started with ${process.execPath}`);
  child.unref();
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid,
    guard: (group) => tell(child, `+${group}`),
    release: (group) => tell(child, `-${group}`),
    dismiss: () => dismiss(child),
  };
}

function tell(child: ChildProcess, line: string): void {
  child.stdin?.write(`${line}\n`);
}

async function dismiss(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.ref();
  child.stdin?.end('dismissed\n');
  await ended;
}
