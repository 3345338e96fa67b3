import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { cacheFolder } from '../../../lab/cache-folder.ts';
import { lockOwner } from '../../../lab/supervisor/lock.ts';
import { stateFile } from '../../../lab/supervisor/state.ts';

/**
 * Leftovers of a lab that has ended: processes with `mark` in their command or environment, ports of the lab that still
 * answer, and files in its temporary folder.
 */
export async function leftoversOf(of: {
  readonly mark: string;
  readonly lab: string;
  readonly temporary: string;
}): Promise<readonly string[]> {
  const open: string[] = [];
  for (const [name, port] of Object.entries(stateFile(of.lab).read().ports)) {
    if (!isTakenOver(port) && (await isOpen(port))) open.push(`${name} on ${port}`);
  }
  return [...(await processesNaming(of.mark)), ...open, ...(await readdir(of.temporary))];
}

/**
 * Another lab uses the port now: a process of this lab would have been found by name, where processes can be listed.
 */
const isTakenOver = (port: number): boolean =>
  existsSync('/proc') && lockOwner(join(cacheFolder(process.env), 'ports', String(port))) !== undefined;

/** Without /proc, only ports and folders are checked. */
async function processesNaming(mark: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
    const environment = await readFile(join('/proc', pid, 'environ'), 'utf8').catch(() => '');
    if (Number(pid) !== process.pid && (command.includes(mark) || environment.includes(mark))) found.push(command);
  }
  return found;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
