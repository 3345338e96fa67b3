import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { hostIn, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, on } from './support/machines.ts';
import { joinFixtureLab, QUICK_FIXTURE } from './support/place/join.ts';

/** Machines whose Nodes never come, twice as many as the workers wait for at the same time. */
const MANY = Number(process.env['TEMPER_WAITING_MACHINES'] ?? 2);
const AT_ONCE = 25;
const LIMIT_MS = 900_000 + MANY * 5_000;
/** While many are provisioned, one of them waits for the others. */
const PATIENT = { timeout: LIMIT_MS, interval: 250 };
let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, MAX_CONCURRENT_WAITS: String(MANY / 2) } });
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

async function provisionedFor(machine: string): Promise<void> {
  const host = `${machine}-host`;
  await aFreeHost(lab, host, {});
  await aMachine(lab, 'test1', machine, { spec: on(host) });
  await hostIn(lab, host, 'provisioned', LIMIT_MS);
}

/** What the workflow of a machine waits for. */
const pendingOf = (name: string): Promise<readonly unknown[]> =>
  withTemporal(lab, async (client) => {
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
    const { raw } = await client.workflow.getHandle(id).describe();
    return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
  });

test('machines that wait for their Nodes do not keep another host from being provisioned', {
  timeout: LIMIT_MS,
}, async () => {
  const queue = new PQueue({ concurrency: AT_ONCE });
  await queue.addAll(
    Array.from({ length: MANY }, (_, index) => async () => {
      const machine = `waiting-${index}`;
      await provisionedFor(machine);
      await expect.poll(() => pendingOf(machine), PATIENT).toContain('awaitNode');
    }),
  );
  await provisionedFor('another');
});
