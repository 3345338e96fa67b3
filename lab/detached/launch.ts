import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OnProgress } from '../progress.ts';
import type { FromLab, UpOptions } from './messages.ts';

/** Starts a lab in a process of its own and returns when it is ready; the lab keeps running when the caller ends. */
export async function launchLab(options: UpOptions, onProgress: OnProgress, signal: AbortSignal): Promise<void> {
  const log = join(options.dir, 'logs', 'lab.log');
  mkdirSync(join(options.dir, 'logs'), { recursive: true });
  const output = openSync(log, 'a');
  const program = fileURLToPath(new URL('./main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const interrupted = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', interrupted, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, by) => reject(new Error(`the lab ended with ${by ?? `exit code ${code}`}; see ${log}`)));
      child.on('message', (message: FromLab) => {
        if (message.kind === 'progress') onProgress(message.event);
        else if (message.kind === 'ready') resolve();
        else reject(new Error(message.message));
      });
    });
  } catch (error) {
    await ended(child);
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupted);
  }
  child.disconnect();
  child.unref();
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
