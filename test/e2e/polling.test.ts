import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apply, fakeHostManifest, hostIn, secret } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/** What waiting costs Ironic, counted in front of it. The nodes are Ironic's own fake ones: slow, and cheap. */
const WINDOW_MS = 3_000;
let lab: TestLab;
beforeAll(async () => {
  lab = await aLab({ machines: 1, fakeHardwareDelay: '2', temperEnv: { IRONIC_SWEEP_INTERVAL: '1s' } });
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }));
});
afterAll(() => lab?.stop());

const fakeHost = (name: string): object => fakeHostManifest(name, { online: false });

const requests = z.array(z.looseObject({ at: z.string(), kind: z.string() }));

/** The most list requests that fell into any window of three seconds. */
async function listsPerWindow(): Promise<number> {
  const all = requests.parse(await (await fetch(`${lab.endpoints.proxyControl}/_recorded`)).json());
  const times = all.filter(({ kind }) => kind === 'list nodes').map(({ at }) => Date.parse(at));
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + WINDOW_MS).length));
}

/** What Ironic is asked in a while during which nothing is asked of any host. */
async function askedWhileParked(): Promise<Awaited<ReturnType<typeof recorded>>['kinds']> {
  await forgetRecorded(lab);
  await sleep(WINDOW_MS);
  return (await recorded(lab)).kinds;
}

describe('list requests', () => {
  test('are as many for twenty busy hosts as for one', async () => {
    await forgetRecorded(lab);
    await apply(lab, fakeHost('lone'));
    await hostIn(lab, 'lone', 'available');
    const forOne = await listsPerWindow();
    expect(forOne).toBeGreaterThan(2);
    const whileOneIsParked = await askedWhileParked();

    await forgetRecorded(lab);
    const names = Array.from({ length: 20 }, (_, index) => `one-of-twenty-${index}`);
    await apply(lab, ...names.map(fakeHost));
    await Promise.all(names.map((name) => hostIn(lab, name, 'available')));
    expect(await listsPerWindow()).toBeLessThanOrEqual(forOne + 1);
    const whileAllAreParked = await askedWhileParked();
    expect(whileAllAreParked['list nodes']).toBeLessThanOrEqual((whileOneIsParked['list nodes'] ?? 0) + 1);
  });

  test('are one a sweep while all hosts are parked, and nothing else is asked', async () => {
    const { 'list nodes': lists = 0, ...others } = await askedWhileParked();
    expect(lists).toBeGreaterThan(0);
    // One a second, and one more that the window may begin with.
    expect(lists).toBeLessThanOrEqual(WINDOW_MS / 1_000 + 1);
    expect(others).toEqual({});
  });
});
