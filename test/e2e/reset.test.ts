import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, hostThat, NAMESPACE } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { forgetRecorded, recorded } from './support/recorded.ts';

/** What somebody does to the run of a host in the Web UI of Temporal. */
const PATIENCE = { timeout: 240_000, interval: 200 };
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 1 });
});
afterAll(() => lab?.stop());

async function provisioned(index: number): Promise<string> {
  const name = await createHost(lab, index, { image: lab.endpoints.testImage });
  await hostThat(
    lab,
    name,
    'provisioned and on',
    ({ status }) => status.provisioning.state === 'provisioned' && status.poweredOn,
  );
  return name;
}

/** Requests to Ironic that touch what runs on a machine. */
async function disruptions(): Promise<readonly string[]> {
  const { provisions } = await recorded(lab);
  const harmful = ['active', 'deleted', 'provide', 'clean', 'inspect', 'rebuild'];
  return harmful.filter((target) => Object.keys(provisions[target] ?? {}).length > 0);
}

test('a provisioned host whose run is reset to its first task goes on as what its status says, and nothing on it is touched', async () => {
  const name = await provisioned(0);
  const image = (await getHost(lab, name))?.status.provisioning.image;
  const workflowId = hostWorkflowId({ namespace: NAMESPACE, name });
  await forgetRecorded(lab);
  await withTemporal(lab, async (client) => {
    const handle = client.workflow.getHandle(workflowId);
    const first = (await handle.fetchHistory()).events?.find((event) => event.workflowTaskCompletedEventAttributes);
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      workflowTaskFinishEventId: first?.eventId ?? null,
      reason: 'a test',
      requestId: crypto.randomUUID(),
    });
    expect(runId).not.toBe('');
    await expect
      .poll(async () => await handle.query(view).catch(() => undefined), PATIENCE)
      .toMatchObject({ state: 'provisioned', waitingFor: 'provisioned as desired' });
  });
  await editHost(lab, name, { online: false });
  const off = await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
  expect(off.status).toMatchObject({
    operationalStatus: 'OK',
    errorCount: 0,
    provisioning: { state: 'provisioned', image },
  });
  expect(await disruptions()).toEqual([]);
});
