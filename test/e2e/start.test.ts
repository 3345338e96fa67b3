import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';
import { HOSTS_STORY, nodesIn, openStarter, PATIENCE, pressCtrlC, type Starter, saying } from './support/start.ts';

/** `npm start` in a new folder; `test/nightly/starts.test.ts` starts it again in a folder that has a lab. */
let starter: Starter;
beforeAll(async () => {
  starter = await openStarter();
});
afterEach(() => starter.endRunning());
afterAll(() => starter?.remove());

describe('npm start', PATIENCE, () => {
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
