import proto from '@temporalio/proto';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { NAMESPACE } from './support/hosts.ts';
import { aCluster, aHostWithMachine, list } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/** Machines whose Nodes never come, twice as many as the workers wait for at the same time. */
const MANY = Number(process.env['TEMPER_WAITING_MACHINES'] ?? 2);
const AT_ONCE = MANY / 2;
/** They come in groups, so that each group shows that those which wait already keep nobody from being provisioned. */
const GROUP = Math.min(50, MANY);
/** A machine is slow when there are thousands, but it goes on: only without any progress for so long it is stuck. */
const STUCK_MS = 900_000;
/** A look at all hosts costs the API server a second when there are thousands. */
const LOOK_MS = 250 + MANY * 2;
const HOURS_6 = 6 * 3_600_000;

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, MAX_CONCURRENT_WAITS: String(AT_ONCE) } });
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

/** Waits until so many are counted, as long as one more is counted now and then. */
async function reach(goal: number, count: () => Promise<number>): Promise<void> {
  for (let reached = 0; reached < goal; ) {
    const before = reached;
    reached = await vi.waitUntil(
      async () => {
        const now = await count();
        return now > before && now;
      },
      { timeout: STUCK_MS, interval: LOOK_MS },
    );
  }
}

const provisioned = async (): Promise<number> =>
  (await list(lab, 'host')).filter(
    ({ status }) => (status['provisioning'] as { readonly state?: string } | undefined)?.state === 'provisioned',
  ).length;

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * How many of these machines wait for their Node, and how many of them in a worker; the others queue for a place there.
 */
async function waiting(machines: readonly string[]): Promise<{ readonly all: number; readonly inWorkers: number }> {
  const states: unknown[] = [];
  await withTemporal(lab, async ({ workflow }) => {
    const queue = new PQueue({ concurrency: 20 });
    await queue.addAll(
      machines.map((name) => async () => {
        const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
        const { raw } = await workflow.getHandle(id).describe();
        const found = (raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'awaitNode');
        states.push(...found.map(({ state }) => state));
      }),
    );
  });
  return { all: states.length, inWorkers: states.filter((state) => state === STARTED).length };
}

test('machines that wait for their Nodes keep no host from being provisioned, neither while they come nor when all places of the workers are taken', {
  timeout: HOURS_6,
}, async () => {
  const machines: string[] = [];
  while (machines.length < MANY) {
    const group = Array.from({ length: Math.min(GROUP, MANY - machines.length) }, (_, index) => index);
    const names = group.map((index) => `waiting-${machines.length + index}`);
    await Promise.all(names.map((name) => aHostWithMachine(lab, 'test1', name)));
    machines.push(...names);
    await reach(machines.length, provisioned);
    await reach(names.length, async () => (await waiting(names)).all);
    process.stdout.write(`${machines.length} machines wait for their Nodes\n`);
  }
  await reach(AT_ONCE, async () => (await waiting(machines)).inWorkers);

  await aHostWithMachine(lab, 'test1', 'another');

  await reach(MANY + 1, provisioned);
  await expect.poll(async () => (await waiting(machines)).all, { timeout: STUCK_MS, interval: LOOK_MS }).toBe(MANY);
});
