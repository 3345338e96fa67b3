import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';
import { HOSTS_STORY, nodesIn, openStarter, PATIENCE, type Starter } from './support/start.ts';

/** `npm start` in a new folder; `test/nightly/starts.test.ts` has the other ways to start it. */
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
});
