import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import {
  alarming,
  HOSTS_STORY,
  nodesIn,
  openStarter,
  PATIENCE,
  pressCtrlC,
  ROOT,
  type Starter,
  saying,
  WORK_ON_HOSTS,
} from '../e2e/support/start.ts';
import { openTerminal } from '../e2e/support/terminal.ts';
import { blockOf } from '../e2e/support/versions/procedure.ts';

/** Starts of a lab that has hosts and a cluster already, on the fixture, and one that fails. */
const record = recordCommands('test/nightly/starts.test.ts');
let starter: Starter;
beforeAll(async () => {
  starter = await openStarter();
});
afterEach(() => starter.endRunning());
afterAll(() => starter?.remove());

describe('npm start', PATIENCE, () => {
  let nodes: readonly string[];

  test('-- --once brings hosts and a cluster up', async () => {
    const { exitCode, all } = await starter.start('well');
    expect(exitCode, all).toBe(0);
    nodes = [...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')];
    expect(nodes).toHaveLength(3);
  });

  test('-- --once goes on where it was when it is started again, the cluster’s own API server too', async () => {
    const { exitCode, all } = await starter.start('well');
    expect(exitCode, all).toBe(0);
    expect(all).not.toMatch(WORK_ON_HOSTS);
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    expect(await starter.leftovers('well')).toEqual([]);
  });

  test('goes on where it was, runs until Ctrl-C, and leaves nothing behind then', async () => {
    const started = starter.run('well');
    const said = await saying(started, /The cluster demo is up/);
    expect(said).toContain('The cluster demo is up');
    expect(said).not.toMatch(WORK_ON_HOSTS);
    pressCtrlC(started);
    const { all } = await started;
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    expect(await starter.leftovers('well')).toEqual([]);
  });

  test('-- --once of the cluster’s story alone goes on with its cluster and does not tell that of the hosts', async () => {
    const { exitCode, all } = await starter.start('well', '--story', 'cluster');
    expect(exitCode, all).toBe(0);
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    // Existing hosts are shown in each story.
    expect(all).not.toContain(HOSTS_STORY);
    expect(await starter.leftovers('well')).toEqual([]);
  });

  test('-- --once of the hosts’ story alone does without Cluster API, and prints nothing that looks like an error', async () => {
    const { exitCode, all } = await starter.start('well', '--story', 'hosts');
    expect(exitCode, all).toBe(0);
    expect(alarming(all)).toEqual([]);
    expect(all).not.toMatch(/Cluster API|kubeadm/);
  });

  test('runs while the commands of the README are tried in another terminal', async () => {
    await symlink(join(starter.dir, 'well'), join(starter.checkout, '.lab'));
    const started = starter.run('well');
    expect(await saying(started, /The cluster demo is up/)).toContain('The cluster demo is up');
    const terminal = record.shell(await openTerminal(starter.dir, starter.checkout));
    const blocks = await readmeBlocks('Looking at it');
    expect(blocks).toHaveLength(3);
    // A watch goes on until Ctrl-C.
    const others = [
      await blockOf('docs/addresses.md', 'kubectl get ippools'),
      await blockOf('docs/remediation.md', 'kubectl get m3r'),
    ];
    for (const block of [...blocks, ...others])
      await terminal(block.replaceAll(/^(.*--watch)$/gm, 'timeout 5 $1 || [ $? -eq 124 ]'));
    pressCtrlC(started);
    await started;
    expect(await starter.leftovers('well')).toEqual([]);
  });

  test('-- --once ends with 1 and the host’s own error when one fails', async () => {
    const examples = await readFile(join(ROOT, 'examples', 'hosts.yaml'), 'utf8');
    const file = join(starter.dir, 'wrong.yaml');
    await writeFile(file, examples.replaceAll('host-', 'wrong-').replaceAll('password: password', 'password: wrong'));
    const { exitCode, all } = await starter.start('failing', '--story', 'hosts', '--file', file);
    expect(all).toContain('returned code 401');
    expect(exitCode).toBe(1);
    expect(await starter.leftovers('failing')).toEqual([]);
  });

  test('runs until Ctrl-C, and leaves nothing behind then', async () => {
    const started = starter.run('simulated', '--provisioner', 'fixture');
    expect(await saying(started, /host-1.*provisioned/)).toContain(HOSTS_STORY);
    pressCtrlC(started);
    await started;
    expect(await starter.leftovers('simulated')).toEqual([]);
  });

  test('of the cluster on the fixture says that it takes machines', async () => {
    const { exitCode, all } = await starter.start('fixture', '--story', 'cluster', '--provisioner', 'fixture');
    expect(all).toContain('needs machines');
    expect(exitCode).toBe(1);
  });
});

/** The commands of a section of the README. */
async function readmeBlocks(section: string): Promise<readonly string[]> {
  const [, after = ''] = (await readFile(join(ROOT, 'README.md'), 'utf8')).split(`\n## ${section}\n`);
  const [body = ''] = after.split('\n## ');
  return [...body.matchAll(/```\n([^]*?)```/g)].map(([, commands = '']) => commands);
}
