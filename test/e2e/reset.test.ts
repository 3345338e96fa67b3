import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { keepHistories, runsOf, withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, type Host, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { addFault, deploysOf, forgetFaults, forgetRecorded, recorded } from './support/recorded.ts';
import { type ResetPoint, resetPointsOf, resetTo } from './support/resets.ts';
import { watchSights } from './support/watch.ts';

/** What somebody does to the run of a host, or to an operation of it, in the Web UI of Temporal. */
const POINTS = Number(process.env['TEMPER_RESET_POINTS'] ?? 4);
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 5 });
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

/** Where the current run of the host can be reset to. */
const pointsOf = async (name: string): Promise<readonly ResetPoint[]> =>
  (await resetPointsOf(lab, hostWorkflowId({ namespace: NAMESPACE, name }))).last;

/** From all parts of the run. */
function someOf(points: readonly ResetPoint[]): readonly ResetPoint[] {
  const every = Math.max(1, Math.floor(points.length / POINTS));
  return points.filter((_, index) => index % every === 0);
}

async function resetToFirst(name: string): Promise<void> {
  const [point] = await pointsOf(name);
  if (point === undefined) throw new Error(`the run of ${name} has ended no workflow task`);
  await resetTo(lab, point);
}

const knowsThatItIsProvisioned = (name: string): Promise<void> =>
  withTemporal(lab, async (client) => {
    const handle = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    await expect
      .poll(async () => await handle.query(view).catch(() => undefined))
      .toMatchObject({ shown: { state: 'provisioned' }, waitingFor: 'provisioned as desired' });
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
    await resetToFirst(name);
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
      await resetToFirst(name);
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
  const points = someOf(await pointsOf(name));
  await forgetRecorded(lab);
  for (const point of points) {
    const after = `after a reset to event ${String(point.eventId)}`;
    await lab.kill('bridge', 'SIGKILL');
    await resetTo(lab, point);
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

test('a host whose run is reset to one point after the other while Ironic inspects, deploys and erases it is told everything once', async () => {
  const resetWhile = async (name: string, state: string): Promise<void> => {
    await hostIn(lab, name, state);
    for (const point of someOf(await pointsOf(name))) await resetTo(lab, point);
  };
  const isProvisioned = ({ status: { provisioning, poweredOn } }: Host, url: string): boolean =>
    provisioning.state === 'provisioned' && provisioning.image?.url === url && poweredOn;
  const first = lab.endpoints.testImage;
  const second = { ...first, url: `${first.url}?another` };
  await forgetRecorded(lab);
  const name = await createHost(lab, 4, { image: first });
  await resetWhile(name, 'inspecting');
  await resetWhile(name, 'provisioning');
  await hostThat(lab, name, 'provisioned', (host) => isProvisioned(host, first.url));
  await editHost(lab, name, { image: second });
  await resetWhile(name, 'deprovisioning');
  const { status } = await hostThat(lab, name, 'provisioned anew', (host) => isProvisioned(host, second.url));

  expect(status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });
  const { provisions } = await recorded(lab);
  const { inspect, active, deleted } = provisions;
  const node = status.provisioning.ID;
  expect({ inspect, active, deleted }).toEqual({
    inspect: { [node]: 1 },
    active: { [node]: 2 },
    deleted: { [node]: 1 },
  });
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
