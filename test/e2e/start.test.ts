import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';
import {
  HOSTS_STORY,
  nodesIn,
  openStarter,
  PATIENCE,
  pressCtrlC,
  type Starter,
  WORK_ON_HOSTS,
} from './support/start.ts';

/** `npm start`; `test/nightly/starts.test.ts` has the other ways to start it. */
let starter: Starter;
beforeAll(async () => {
  starter = await openStarter();
});
afterEach(() => starter.endRunning());
afterAll(() => starter?.remove());

describe('npm start', PATIENCE, () => {
  let nodes: readonly string[];

  test('-- --once brings the example hosts to their desired state, then a cluster, says so, and leaves nothing behind', async () => {
    const { exitCode, all } = await starter.start('well');
    expect(all).toContain(HOSTS_STORY);
    expect(all).toContain(WHY_HASHES_ARE_CACHED.split('\n')[0]);
    for (const host of ['host-1', 'host-2', 'host-3']) expect(all).toMatch(new RegExp(`${host}.*provisioned`));
    for (const host of ['host-4', 'host-5']) expect(all).toMatch(new RegExp(`${host}.*available`));
    expect(nodesIn(all, 'control plane'), all).toHaveLength(1);
    expect(nodesIn(all, 'worker')).toHaveLength(2);
    expect(exitCode, all).toBe(0);
    expect(await starter.leftovers('well')).toEqual([]);
    nodes = [...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')];
  });

  test('goes on where it was, runs until Ctrl-C, and leaves nothing behind then', async () => {
    const started = starter.run('well');
    let said = '';
    await new Promise<void>((resolve) => {
      started.all.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('The cluster demo is up')) resolve();
      });
      void started.then(() => resolve());
    });
    expect(said).toContain('The cluster demo is up');
    expect(said).not.toMatch(WORK_ON_HOSTS);
    pressCtrlC(started);
    const { all } = await started;
    expect([...nodesIn(all, 'control plane'), ...nodesIn(all, 'worker')]).toEqual(nodes);
    expect(await starter.leftovers('well')).toEqual([]);
  });

  test('of the cluster on the fixture says that it takes machines', async () => {
    const { exitCode, all } = await starter.start('fixture', '--story', 'cluster', '--provisioner', 'fixture');
    expect(all).toContain('needs machines');
    expect(exitCode).toBe(1);
  });
});
