import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { hostIn, NAMESPACE } from './support/hosts.ts';
import { aCluster, aHostWithMachine, list } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/** Machines whose Nodes never come, twice as many as the workers wait for at the same time. */
const MANY = Number(process.env['TEMPER_WAITING_MACHINES'] ?? 2);
const AT_ONCE = 10;
const LIMIT_MS = 900_000 + MANY * 5_000;
/** A look at all hosts costs the API server a second when there are thousands. */
const PATIENT = { timeout: LIMIT_MS, interval: 250 + MANY * 5 };
let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, MAX_CONCURRENT_WAITS: String(MANY / 2) } });
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

const aWaitingMachine = (name: string): Promise<void> => aHostWithMachine(lab, 'test1', name);

/** What the workflow of a machine waits for. */
async function pendingOf(client: Client, name: string): Promise<readonly unknown[]> {
  const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
  const { raw } = await client.workflow.getHandle(id).describe();
  return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
}

const provisioned = async (): Promise<number> =>
  (await list(lab, 'host')).filter(
    ({ status }) => (status['provisioning'] as { readonly state?: string } | undefined)?.state === 'provisioned',
  ).length;

test('machines that wait for their Nodes do not keep another host from being provisioned', {
  timeout: LIMIT_MS,
}, async () => {
  const machines = Array.from({ length: MANY }, (_, index) => `waiting-${index}`);
  const queue = new PQueue({ concurrency: AT_ONCE });
  await queue.addAll(machines.map((machine) => () => aWaitingMachine(machine)));
  await expect.poll(provisioned, PATIENT).toBe(MANY);
  await withTemporal(lab, async (client) => {
    for (const machine of machines) await expect.poll(() => pendingOf(client, machine), PATIENT).toContain('awaitNode');
  });

  await aWaitingMachine('another');
  await hostIn(lab, 'another', 'provisioned', LIMIT_MS);
});
