import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';

/** `npm start -- --once` as a user runs it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let dir: string;
/** Where the child puts what is temporary; it has to be empty afterwards. */
let temporary: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-e2e-start-'));
  temporary = join(dir, 'tmp');
  await mkdir(temporary);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const start = (lab: string, ...args: readonly string[]) =>
  execa('npm', ['start', '--silent', '--', '--once', '--dir', join(dir, lab), ...args], {
    cwd: ROOT,
    reject: false,
    all: true,
    // npm itself would leave its compile cache there.
    env: { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
  });

/** What a lab in this folder could have left behind. */
async function leftovers(lab: string): Promise<readonly string[]> {
  const processes: string[] = [];
  // Where there is no /proc, ports and folders have to tell.
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (Number(pid) !== process.pid && (command.includes(dir) || environment.includes(dir))) processes.push(command);
  }
  const { ports } = JSON.parse(await readFile(join(dir, lab, 'state.json'), 'utf8')) as {
    ports: Record<string, number>;
  };
  const open: string[] = [];
  for (const [name, port] of Object.entries(ports)) if (await isOpen(port)) open.push(`${name} on ${port}`);
  const folders = await readdir(temporary);
  return [...processes, ...open, ...folders];
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

describe('npm start -- --once', () => {
  test('brings the example hosts where they should be, says so, and leaves nothing behind', async () => {
    const { exitCode, all } = await start('well');
    expect(all).toContain(WHY_HASHES_ARE_CACHED.split('\n')[0]);
    for (const host of ['host-1', 'host-2', 'host-3']) expect(all).toMatch(new RegExp(`${host}.*provisioned`));
    for (const host of ['host-4', 'host-5']) expect(all).toMatch(new RegExp(`${host}.*available`));
    expect(exitCode, all).toBe(0);
    expect(await leftovers('well')).toEqual([]);
  });

  test('goes on where it was when it is started again', async () => {
    const { exitCode, all } = await start('well');
    expect(exitCode, all).toBe(0);
    // From the first look on: nothing was registered, inspected or deployed again.
    expect(all).not.toMatch(/host-\d.*(registering|inspecting|provisioning|deprovisioning)/);
    expect(await leftovers('well')).toEqual([]);
  });

  test('ends with 1 and the host’s own error when one fails', async () => {
    const examples = await readFile(join(ROOT, 'examples', 'hosts.yaml'), 'utf8');
    const file = join(dir, 'wrong.yaml');
    await writeFile(file, examples.replaceAll('host-', 'wrong-').replaceAll('password: password', 'password: wrong'));
    const { exitCode, all } = await start('failing', '--file', file);
    expect(all).toContain('returned code 401');
    expect(exitCode).toBe(1);
    expect(await leftovers('failing')).toEqual([]);
  });
});
