import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process that ends all groups it was told of when its parent dies, however it dies. */
export interface Watchdog {
  readonly pid: number;
  guard(group: number): void;
  release(group: number): void;
  /** Lets the watchdog go without it ending anything. */
  dismiss(): Promise<void>;
}

/** With `removeDir` the folder is deleted after a crash, so that labs made for a test leave nothing behind. */
export function startWatchdog(removeDir?: string): Watchdog {
  const program = fileURLToPath(new URL('./watchdog-main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...(removeDir === undefined ? [] : [removeDir])], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Node's own settings of a test runner or a debugger are not for this process.
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
