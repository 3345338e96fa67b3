import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WHY_HASHES_ARE_CACHED } from '../../lab/terminal/words.ts';
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
} from './support/start.ts';
import { openTerminal } from './support/terminal.ts';
import { stepsOf } from './support/versions/procedure.ts';

/**
 * `npm start` in a new folder, and the tutorial in it, from top to bottom; `test/nightly/starts.test.ts` has the other
 * ways to start it.
 */
const PAGE = 'docs/tutorial.md';
const record = recordCommands('test/e2e/start.test.ts');
let starter: Starter;
beforeAll(async () => {
  starter = await openStarter();
});
afterEach(() => starter.endRunning());
afterAll(() => starter?.remove());

/** The terminal in which nothing but `npm start` runs, with the lab in the folder where it is without options. */
const firstTerminal = (): ReturnType<Starter['run']> => starter.run('temper/.lab');

describe('npm start', PATIENCE, () => {
  test('brings the example hosts to their desired state, then a cluster with a remediated worker, while the tutorial is followed; Ctrl-C leaves nothing behind', async () => {
    const [start, getHosts] = await stepsOf(PAGE, 'Start the lab');
    expect(start).toBe('npm start\n');
    const first = firstTerminal();
    record.ran(start ?? '');
    const up = saying(first, /The cluster demo is up/);
    const settled = Promise.all([
      ...['host-1', 'host-2', 'host-3'].map((host) => saying(first, new RegExp(`${host} .*provisioned`))),
      ...['host-4', 'host-5'].map((host) => saying(first, new RegExp(`${host} .*available`))),
    ]);
    const run = record.shell(await openTerminal(starter.dir, starter.checkout));
    expect((await settled).at(-1)).toContain(HOSTS_STORY);

    expect(await run(getHosts ?? '')).toMatch(/^host-4 +available /m);
    // Another lab may use the ports in the file: then the webhook refuses the other addresses.
    const appliedAgain = await run('kubectl apply --dry-run=server -f examples/hosts.yaml || true');
    expect(appliedAgain).toContain('secret/host-1-bmc configured');
    expect(appliedAgain).not.toMatch(/warning/i);
    const [deployment = ''] =
      /baremetalhost\/default\/host-1\/provision\/\d+/.exec(await readFile(join(ROOT, PAGE), 'utf8')) ?? [];
    expect(await run(`npx temper temporal workflow describe --workflow-id ${deployment}`)).toContain('COMPLETED');
    const [giveImage, waitForHost] = await stepsOf(PAGE, 'Provision a host');
    await run(giveImage ?? '');
    expect(await run(waitForHost ?? '')).toMatch(/inspect: done after \d+ s[^]*provision: done after \d+ s/);

    const [quarantine, abort, resume] = await stepsOf(PAGE, 'Hold a host back, and stop what it does');
    expect(await run(quarantine ?? '')).toMatch(/^host-5 +available /m);
    const aborted = await run(abort ?? '');
    expect(aborted).toContain('release default/host-5');
    expect(aborted).toMatch(/^host-5 +OK +provisioning .*parked by an abort/m);
    const told = await run(resume ?? '');
    for (const what of ['quarantine', 'release', 'abort', 'resume']) expect(told).toMatch(new RegExp(`Z  ${what} by `));
    for (const event of ['Quarantined', 'Released', 'Aborted', 'Resumed']) expect(told).toContain(event);

    const [list, add, see, mend] = await stepsOf(PAGE, 'Add a host of your own, with a mistake, and mend it');
    expect(await run(list ?? '')).toContain('lab-0010');
    await run(add ?? '');
    const seen = await run(see ?? '');
    expect(seen).toMatch(/^my-host +registering .*registration error/m);
    expect(seen).toContain('returned code 401');
    await run(mend ?? '');

    await up;
    const [seeCluster, oneMore, seeNode] = await stepsOf(PAGE, 'Make a machine of a cluster');
    await run(seeCluster ?? '');
    expect(await run(oneMore ?? '')).toContain('demo-172-22-200-13');
    const nodes = await run(seeNode ?? '');
    expect(nodes.match(/^demo-\S+ +Ready .* 172\.22\.200\.1[0-3] /gm)).toHaveLength(4);

    const [takeOff, , reset] = await stepsOf(PAGE, 'Clean up');
    await run(takeOff ?? '');
    pressCtrlC(first);
    const { all } = await first;
    expect(all).toContain(WHY_HASHES_ARE_CACHED.split('\n')[0]);
    const tried = all.indexOf('patch bmh host-4');
    for (const host of ['host-1', 'host-2', 'host-3']) {
      const provisioned = all.search(new RegExp(`${host}.*provisioned`));
      expect(provisioned).toBeGreaterThan(-1);
      expect(tried).toBeGreaterThan(provisioned);
    }
    expect(nodesIn(all, 'control plane'), all).toHaveLength(1);
    expect(nodesIn(all, 'worker')).toHaveLength(3);
    const [, remediated, host] = /^(demo-\S+) is back on (host-[6-9])\.$/m.exec(all) ?? [];
    expect(all).toMatch(new RegExp(`${remediated} .*remediation: ${host} is powered off`));
    expect(all).toMatch(new RegExp(`^│ ${remediated} .* 172\\.22\\.200\\.1[0-2] `, 'm'));
    expect(await starter.leftovers('temper/.lab')).toEqual([]);

    expect(alarming(all)).toEqual([]);

    expect(await run(reset ?? '')).toContain('is gone');
  });
});
