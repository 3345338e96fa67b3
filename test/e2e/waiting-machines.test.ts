import { afterAll, beforeAll, expect, test } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { hostIn, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, on, PATIENCE } from './support/machines.ts';
import { joinFixtureLab, QUICK_FIXTURE } from './support/place/join.ts';

/** Machines whose Nodes never come, more than the workers wait for at the same time. */
let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, MAX_CONCURRENT_WAITS: '1' } });
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

async function provisionedFor(machine: string): Promise<void> {
  const host = `${machine}-host`;
  await aFreeHost(lab, host, {});
  await aMachine(lab, 'test1', machine, { spec: on(host) });
  await hostIn(lab, host, 'provisioned');
}

/** What the workflow of a machine waits for. */
const pendingOf = (name: string): Promise<readonly unknown[]> =>
  withTemporal(lab, async (client) => {
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
    const { raw } = await client.workflow.getHandle(id).describe();
    return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
  });

test('machines that wait for their Nodes do not keep another host from being provisioned', async () => {
  for (const machine of ['first', 'second']) {
    await provisionedFor(machine);
    await expect.poll(() => pendingOf(machine), PATIENCE).toContain('awaitNode');
  }
  await provisionedFor('third');
});
