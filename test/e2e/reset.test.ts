import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { keepHistories, runsOf, withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { addFault, deploysOf, forgetFaults, forgetRecorded, recorded } from './support/recorded.ts';
import { watchSights } from './support/watch.ts';

/** What somebody does to the run of a host, or to an operation of it, in the Web UI of Temporal. */
const POINTS = Number(process.env['TEMPER_RESET_POINTS'] ?? 4);
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 4 });
});
afterAll(() => lab?.stop());

async function provisioned(index: number): Promise<{ readonly name: string; readonly image: unknown }> {
  const name = await createHost(lab, index, { image: lab.endpoints.testImage });
  const { status } = await hostThat(
    lab,
    name,
    'provisioned and on',
    (host) => host.status.provisioning.state === 'provisioned' && host.status.poweredOn,
  );
  return { name, image: status.provisioning.image };
}

/** Requests to Ironic that touch what runs on a machine. */
async function disruptions(): Promise<readonly string[]> {
  const { provisions } = await recorded(lab);
  const harmful = ['active', 'deleted', 'provide', 'clean', 'inspect', 'rebuild'];
  return harmful.filter((target) => Object.keys(provisions[target] ?? {}).length > 0);
}

/** Where the current run of the host can be reset to: the ends of its workflow tasks. */
const pointsOf = (name: string) =>
  withTemporal(lab, async (client) => {
    const workflowId = hostWorkflowId({ namespace: NAMESPACE, name });
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    return (events ?? [])
      .filter((event) => event.workflowTaskCompletedEventAttributes)
      .map(({ eventId }) => ({ workflowExecution: { workflowId, runId }, workflowTaskFinishEventId: eventId ?? null }));
  });

/** Lets the run of a host go on from one of its points. */
const reset = (point: Awaited<ReturnType<typeof pointsOf>>[number] | undefined): Promise<void> =>
  withTemporal(lab, async (client) => {
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      ...point,
      reason: 'a test',
      requestId: crypto.randomUUID(),
    });
    expect(runId).not.toBe('');
  });

const knowsThatItIsProvisioned = (name: string): Promise<void> =>
  withTemporal(lab, async (client) => {
    const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    await expect
      .poll(async () => await handle.query(view).catch(() => undefined))
      .toMatchObject({ state: 'provisioned', waitingFor: 'provisioned as desired' });
  });

/** The host follows its spec again, in the state in which it was. */
async function goesOn(name: string, image: unknown): Promise<void> {
  await editHost(lab, name, { online: false });
  const off = await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
  expect(off.status).toMatchObject({
    operationalStatus: 'OK',
    errorCount: 0,
    provisioning: { state: 'provisioned', image },
  });
}

describe('a provisioned host whose run is reset to its first task goes on as what its status says, and nothing on it is touched', () => {
  test('while the bridge that wrote its status runs', async () => {
    const { name, image } = await provisioned(0);
    await forgetRecorded(lab);
    await reset((await pointsOf(name))[0]);
    await knowsThatItIsProvisioned(name);
    await goesOn(name, image);
    expect(await disruptions()).toEqual([]);
  });

  test('before a bridge starts that has written nothing yet', async () => {
    const { name, image } = await provisioned(1);
    await forgetRecorded(lab);
    const sights = watchSights(lab.kube);
    try {
      await lab.kill('bridge', 'SIGKILL');
      await reset((await pointsOf(name))[0]);
      await lab.start('bridge');
      await knowsThatItIsProvisioned(name);
      await goesOn(name, image);
      expect(await disruptions()).toEqual([]);
      expect(new Set(sights.of(name).map(({ state }) => state))).toEqual(new Set(['provisioned']));
    } finally {
      sights.close();
    }
  });
});

test('a host that has another image now goes on with it, whichever point its run is reset to while no bridge runs', async () => {
  const { name } = await provisioned(2);
  const image = { ...lab.endpoints.testImage, url: `${lab.endpoints.testImage.url}?another` };
  await editHost(lab, name, { image });
  await hostThat(lab, name, 'provisioned anew', ({ status: { provisioning, poweredOn } }) => {
    return provisioning.state === 'provisioned' && provisioning.image?.url === image.url && poweredOn;
  });
  await knowsThatItIsProvisioned(name);
  const points = await pointsOf(name);
  const every = Math.max(1, Math.floor(points.length / POINTS));
  await forgetRecorded(lab);
  for (const point of points.filter((_, index) => index % every === 0)) {
    const after = `after a reset to event ${String(point.workflowTaskFinishEventId)}`;
    await lab.kill('bridge', 'SIGKILL');
    await reset(point);
    await lab.start('bridge');
    await knowsThatItIsProvisioned(name);
    expect((await getHost(lab, name))?.status, after).toMatchObject({
      operationalStatus: 'OK',
      errorCount: 0,
      poweredOn: true,
      provisioning: { state: 'provisioned', image: { url: image.url } },
    });
    expect(await disruptions(), after).toEqual([]);
  }
});

const terminateOperation = (name: string): Promise<void> =>
  withTemporal(lab, async (client) => {
    const host = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    const [operation] = (await host.describe()).raw.pendingChildren ?? [];
    await client.workflow.getHandle(operation?.workflowId ?? '').terminate('by hand');
  });

test('a host whose deployment is terminated in the middle is deployed once, and nothing on it is erased', async () => {
  const image = lab.endpoints.testImage;
  const { name } = await provisioned(3);
  // Then its node is clean: the next operation deploys at once.
  await editHost(lab, name, { image: null });
  await hostThat(lab, name, 'available and on', ({ status }) => {
    return status.provisioning.state === 'available' && status.poweredOn;
  });
  await forgetRecorded(lab);
  // Until the operation is terminated, nobody sees how far Ironic is.
  await addFault(lab, { method: 'GET', path: '^/v1/nodes\\?', status: 503, times: 1_000_000 });
  await editHost(lab, name, { image });
  const node = (await hostIn(lab, name, 'provisioning')).status.provisioning.ID;
  await expect.poll(() => deploysOf(lab)).toEqual({ [node]: 1 });
  await terminateOperation(name);
  await forgetFaults(lab);

  const { status } = await hostThat(
    lab,
    name,
    'provisioned and on',
    (host) => host.status.provisioning.state === 'provisioned' && host.status.poweredOn,
  );
  expect(status).toMatchObject({ operationalStatus: 'OK', errorCount: 0, provisioning: { image } });
  const { provisions } = await recorded(lab);
  expect({ active: provisions['active'], deleted: provisions['deleted'] }).toEqual({ active: { [node]: 1 } });
  const operations = (await runsOf(lab, name)).filter(({ type }) => type === 'provisionWorkflow');
  expect(operations.map((run) => run.status).toSorted()).toEqual(['COMPLETED', 'COMPLETED', 'TERMINATED']);
  await keepHistories(lab, 'ended-operation', name, ({ type }) => type === 'hostWorkflow');
});
