import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';
import { leftoversOf } from './support/leftovers.ts';

/** `npm start -- --once` as a user runs it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let dir: string;
/** Folder for the child's temporary files; must be empty afterwards. */
let temporary: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-e2e-start-'));
  temporary = join(dir, 'tmp');
  await mkdir(temporary);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Longer than the timeout of the command itself. */
const PATIENCE = { timeout: 2_000_000 };

let running: ReturnType<typeof npmStart> | undefined;

const npmStart = (lab: string, args: readonly string[]) =>
  execa('npm', ['start', '--silent', '--', '--dir', join(dir, lab), ...args], {
    cwd: ROOT,
    reject: false,
    all: true,
    // npm itself would leave its compile cache there.
    env: { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
    // A terminal sends Ctrl-C to all processes of the command; here a process group replaces the terminal.
    detached: true,
  });
const run = (lab: string, ...args: readonly string[]) => {
  const command = npmStart(lab, args);
  running = command;
  void command.finally(() => {
    running = undefined;
  });
  return command;
};
const pressCtrlC = ({ pid }: ReturnType<typeof npmStart>) => process.kill(-(pid ?? 0), 'SIGINT');
/** The lab of a test that timed out would disturb the next one. */
afterEach(async () => {
  if (running === undefined) return;
  pressCtrlC(running);
  await running;
});
const start = (lab: string, ...args: readonly string[]) => run(lab, '--once', ...args);

const leftovers = (lab: string) => leftoversOf({ mark: dir, lab: join(dir, lab), temporary });

/** A command that only the hosts' story suggests. */
const HOSTS_STORY = 'get bmh --watch';

/** The lines of the last table that end with a Node's version. */
const nodesIn = (said: string | undefined, role: string): readonly string[] =>
  [...(said ?? '').matchAll(/^│ (demo-\S+) +│ (control plane|worker) +│ Running +│ host-[6-9] +│ ✔ v1\.34\.4 /gm)]
    .filter(([, , found]) => found === role)
    .map(([, node = '']) => node);

describe('npm start -- --once', PATIENCE, () => {
  let nodes: readonly string[];

  test('brings the example hosts to their desired state, then a cluster, says so, and leaves nothing behind', async () => {
    const { exitCode, all } = await start('well');
    expect(all).toContain(HOSTS_STORY);
    expect(all).toContain(WHY_HASHES_ARE_CACHED.split('\n')[0]);
    for (const host of ['host-1', 'host-2', 'host-3']) expect(all).toMatch(new RegExp(`${host}.*provisioned`));
    for (const host of ['host-4', 'host-5']) expect(all).toMatch(new RegExp(`${host}.*available`));
    expect(nodesIn(all, 'control plane'), all).toHaveLength(1);
    expect(nodesIn(all, 'worker')).toHaveLength(2);
    expect(exitCode, all).toBe(0);
    expect(await leftovers('well')).toEqual([]);
    nodes = [...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')];
  });

  test('goes on where it was when it is started again, the cluster’s own API server too', async () => {
    const { exitCode, all } = await start('well');
    expect(exitCode, all).toBe(0);
    // In the whole output: nothing was registered, inspected or deployed again.
    expect(all).not.toMatch(/host-\d.*(registering|inspecting|provisioning|deprovisioning)/);
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    expect(await leftovers('well')).toEqual([]);
  });

  test('of the cluster’s story alone goes on with its cluster and does not tell that of the hosts', async () => {
    const { exitCode, all } = await start('well', '--story', 'cluster');
    expect(exitCode, all).toBe(0);
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    // Existing hosts are shown in each story.
    expect(all).not.toContain(HOSTS_STORY);
    expect(await leftovers('well')).toEqual([]);
  });

  test('of the hosts’ story alone does without Cluster API', async () => {
    const { exitCode, all } = await start('well', '--story', 'hosts');
    expect(exitCode, all).toBe(0);
    expect(all).not.toMatch(/Cluster API|kubeadm/);
  });

  test('of the cluster on the fixture says that it takes machines', async () => {
    const { exitCode, all } = await start('fixture', '--story', 'cluster', '--provisioner', 'fixture');
    expect(all).toContain('needs machines');
    expect(exitCode).toBe(1);
  });

  test('ends with 1 and the host’s own error when one fails', async () => {
    const examples = await readFile(join(ROOT, 'examples', 'hosts.yaml'), 'utf8');
    const file = join(dir, 'wrong.yaml');
    await writeFile(file, examples.replaceAll('host-', 'wrong-').replaceAll('password: password', 'password: wrong'));
    const { exitCode, all } = await start('failing', '--story', 'hosts', '--file', file);
    expect(all).toContain('returned code 401');
    expect(exitCode).toBe(1);
    expect(await leftovers('failing')).toEqual([]);
  });
});

describe('npm start', PATIENCE, () => {
  test('runs until Ctrl-C, and leaves nothing behind then', async () => {
    const started = run('well');
    let said = '';
    await new Promise<void>((resolve) => {
      started.all.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('The cluster demo is up')) resolve();
      });
      void started.then(() => resolve());
    });
    expect(said).toContain('The cluster demo is up');
    pressCtrlC(started);
    await started;
    expect(await leftovers('well')).toEqual([]);
  });
});
