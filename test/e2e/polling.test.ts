import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apply, fakeHostManifest, hostIn, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { forgetRecorded, recorded, requestsRecorded } from './support/recorded.ts';

/**
 * The requests that waiting costs, counted in front of Ironic. The nodes are Ironic's own fake ones: slow and cheap.
 */
const WINDOW_MS = 3_000;
const SWEEP_MS = 1_000;
/** The shortest pause between two lists of a process, for any number of waiting hosts. */
const PAUSE_MS = 200;
/** A window can begin with one more. */
const MOST_LISTS = WINDOW_MS / PAUSE_MS + WINDOW_MS / SWEEP_MS + 2;
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 1, temperEnv: { IRONIC_SWEEP_INTERVAL: '1s', IRONIC_POLL_INTERVAL: '800' } });
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }));
});
afterAll(() => lab?.stop());

const fakeHost = (name: string): object => fakeHostManifest(name, { online: false });

/** The maximum number of list requests in any window of three seconds. */
async function listsPerWindow(): Promise<number> {
  const all = await requestsRecorded(lab);
  const times = all.filter(({ kind }) => kind === 'list nodes').map(({ at }) => Date.parse(at));
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + WINDOW_MS).length));
}

/** The requests to Ironic during a time in which no host changes. */
async function askedWhileParked(): Promise<
  Awaited<ReturnType<typeof recorded>>['kinds'] & { readonly tookMs: number }
> {
  await forgetRecorded(lab);
  const began = Date.now();
  await sleep(WINDOW_MS);
  const { kinds } = await recorded(lab);
  return { ...kinds, tookMs: Date.now() - began };
}

describe('list requests', () => {
  test('are as many for twenty busy hosts as for one', async () => {
    await forgetRecorded(lab);
    await apply(lab, fakeHost('lone'));
    await hostIn(lab, 'lone', 'available');
    const forOne = await listsPerWindow();
    expect(forOne).toBeGreaterThan(2);

    await forgetRecorded(lab);
    const names = Array.from({ length: 20 }, (_, index) => `one-of-twenty-${index}`);
    await apply(lab, ...names.map(fakeHost));
    await Promise.all(names.map((name) => hostIn(lab, name, 'available')));
    // An Ironic that answers slowly gets fewer lists, so requests for one waiting host say too little.
    expect(await listsPerWindow()).toBeLessThanOrEqual(Math.max(forOne + 1, MOST_LISTS));
    const whileAllAreParked = await askedWhileParked();
    expect(whileAllAreParked['list nodes']).toBeLessThanOrEqual(whileAllAreParked.tookMs / SWEEP_MS + 2);
  });

  test('are one a sweep while all hosts are parked, without any other request', async () => {
    const { 'list nodes': lists = 0, tookMs, ...others } = await askedWhileParked();
    expect(lists).toBeGreaterThan(0);
    // One more at the start of the window.
    expect(lists).toBeLessThanOrEqual(tookMs / SWEEP_MS + 1);
    expect(others).toEqual({});
  });
});
