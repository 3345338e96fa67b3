import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countEvents } from '../../bench/fleet/count-events.ts';
import { aNode } from '../builders/host.ts';
import { type HostRun, type LifeScene, openLifeScene } from './life/scene.ts';

/** What the timeline of a host's run tells of a wait for a person. */
let scene: LifeScene;

beforeAll(async () => {
  scene = await openLifeScene({
    registerNode: () => ({
      kind: 'registered',
      node: aNode(),
      verifying: false,
      created: true,
      credentialsVersion: '90',
    }),
    startInspection: () => ({ kind: 'done', node: aNode() }),
    saveInventory: () => ({ architecture: 'x86_64' }),
    setPower: () => ({ kind: 'done', node: aNode() }),
    releaseHost: () => undefined,
    deleteNode: () => ({ kind: 'lost' }),
    provideNode: () => ({ kind: 'done', node: aNode({ state: 'available' }) }),
  });
});
afterAll(async () => scene.close());

/** A message that comes while a status is being written gets a row of its own: what each row says depends on rest. */
const rests = (host: HostRun) => expect.poll(() => host.isAtRest()).toBe(true);
const available = async (host: HostRun): Promise<void> => {
  await expect.poll(() => host.details()).toContain('waiting for an image in spec.image');
  await rests(host);
};
const end = async (host: HostRun): Promise<void> => {
  await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  await host.handle.result();
};

describe('the timeline of a run', () => {
  const quarantined = (why: string) => ({ annotations: { 'temper/quarantine': `{"by":"ann","reason":"${why}"}` } });
  const waitsOf = async (host: HostRun): Promise<readonly string[]> =>
    (await rowsOf(host)).filter((row) => /; (no longer )?waits/.test(row));

  test('tells a wait for a person once when it begins and once when it ends, and nothing while it lasts', async () => {
    const host = await scene.aHost();
    await available(host);
    await host.tell(quarantined('the fan is loud'));
    const row = (news: string) => expect.stringContaining(`temper/quarantine ${news} in quarantine`) as unknown;
    await expect.poll(() => waitsOf(host)).toEqual([row('set; waits:')]);
    await rests(host);
    const before = await eventsOf(host);

    await Promise.all(Array.from({ length: MESSAGES }, () => host.tell(quarantined('the fan is loud'))));
    await rests(host);
    const { 'signal observed': signals = 0, ...others } = added(before, await eventsOf(host));
    expect(signals).toBe(MESSAGES);
    expect(Object.keys(others)).toEqual(['workflow task']);
    expect(await eventsOf(host)).not.toHaveProperty('timer');

    await host.tell(quarantined('the fan is hot'));
    await expect.poll(() => waitsOf(host)).toHaveLength(2);
    await rests(host);
    await host.tell({});
    await expect
      .poll(() => waitsOf(host))
      .toEqual([row('set; waits:'), row('changed; waits:'), row('removed; no longer waits:')]);
    await end(host);
  });

  test('has a row for a wait that begins while a status that shows it already is on its way', async () => {
    let isWritten = (): void => {};
    const writing = new Promise<void>((resolve) => {
      isWritten = resolve;
    });
    scene.answerWith(() => writing.then(() => ({ kind: 'published' })));
    const host = await scene.aHost();
    await expect.poll(() => host.shown.length).toBe(1);
    await host.tell(quarantined('loud'));
    await expect.poll(() => host.isHearing()).toBe(false);
    isWritten();
    scene.answerWith(() => ({ kind: 'published' }));
    await expect.poll(() => rowsOf(host)).toContainEqual(expect.stringContaining('waits: in quarantine, by ann'));
    await rests(host);
    expect(host.shown.length).toBe(3);
    await end(host);
  });
});

/** Snapshots that change nothing: as many as a host may get while a person thinks. */
const MESSAGES = 100;

/** The summaries of the rows with which statuses were written. */
async function rowsOf({ handle }: HostRun): Promise<readonly string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'publish')
    .map(({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString()) as string);
}

/** How many events a run has, by their subject. */
async function eventsOf({ handle }: HostRun): Promise<Readonly<Record<string, number>>> {
  const { events } = await handle.fetchHistory();
  return countEvents([{ workflowType: 'hostWorkflow', events: events ?? [] }]).kinds;
}

/** The subjects of the events that came. */
const added = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(after).flatMap(([what, count]) =>
      count === before[what] ? [] : [[what, count - (before[what] ?? 0)]],
    ),
  );
