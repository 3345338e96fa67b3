import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventCollection, hostPath } from '../../kube/paths.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { watchMachines } from './support/fixture-machines.ts';
import { withTemporal } from './support/histories.ts';
import { apply, editHost, getHost, hostGone, hostIn, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { resetPointsOf, resetTo } from './support/resets.ts';
import { type HostSights, watchSights } from './support/watch.ts';

/** What people may do to the runs of hosts in the Web UI. */
const PATIENCE = { timeout: 600_000, interval: 200 };

let lab: TestFixtureLab;
let sights: HostSights;
beforeAll(async () => {
  lab = await joinFixtureLab();
  sights = watchSights(lab.kube);
});
afterAll(async () => {
  sights?.close();
  await lab?.stop();
});

/** A host with its image on it. */
async function provisioned(name: string): Promise<void> {
  await apply(lab, fixtureSecret(name), fixtureHost(name, { image: IMAGE }));
  await hostIn(lab, name, 'provisioned');
}

const withRun = <T>(name: string, use: (run: WorkflowHandle) => Promise<T>): Promise<T> =>
  withTemporal(lab, (client) => use(client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }))));

/** The run goes on from the first, the last or the middle one of its workflow tasks. */
async function reset(name: string, to: 'first' | 'middle' | 'last'): Promise<void> {
  const { last: points } = await resetPointsOf(lab, hostWorkflowId({ namespace: NAMESPACE, name }));
  const point = { first: points[0], middle: points[Math.floor(points.length / 2)], last: points.at(-1) }[to];
  if (point === undefined) throw new Error('no workflow task was completed');
  await resetTo(lab, point);
}

/** Ends the running operation, as "Terminate" in the Web UI does it. */
const terminateOperation = (name: string): Promise<void> =>
  withTemporal(lab, async (client) => {
    const host = client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name }));
    const operation = await vi.waitFor(async () => {
      const [child] = (await host.describe()).raw.pendingChildren ?? [];
      return child?.workflowId ?? expect.fail('no operation is running');
    }, PATIENCE);
    await client.workflow.getHandle(operation).terminate('by hand');
  });

/** `Reason: message` of its Events. */
const eventsOf = async (name: string): Promise<readonly string[]> => {
  const query = { fieldSelector: `involvedObject.name=${name}` };
  const { items } = (await lab.kube.request({ path: eventCollection(NAMESPACE), query })) as {
    readonly items: readonly { readonly reason: string; readonly message: string }[];
  };
  return items.map(({ reason, message }) => `${reason}: ${message}`);
};
const restarted = (name: string): Promise<void> =>
  expect.poll(async () => (await eventsOf(name)).join('\n'), PATIENCE).toContain('WorkflowRestarted: ');

describe('a provisioned host', () => {
  test('whose run is reset to its first task stays provisioned, with its image, and goes on from there', async () => {
    await provisioned('reset');
    const before = sights.of('reset').length;
    const runIdOf = async (): Promise<string> => withRun('reset', async (run) => (await run.describe()).runId);
    const runBefore = await runIdOf();

    await reset('reset', 'first');

    expect(await runIdOf()).not.toBe(runBefore);
    await editHost(lab, 'reset', { online: false });
    await expect.poll(async () => (await getHost(lab, 'reset'))?.status.poweredOn, PATIENCE).toBe(false);
    expect(await getHost(lab, 'reset')).toMatchObject({
      status: { provisioning: { state: 'provisioned', image: { url: IMAGE.url } } },
    });
    const seen = sights.of('reset').slice(before);
    expect(new Set(seen.map(({ state, errorType }) => `${state} ${errorType}`))).toEqual(new Set(['provisioned ']));
  });

  test('whose run was reset again and again while it was inspected and deployed was deployed once', async ({
    skip,
  }) => {
    atNight(skip, 'test/integration/life-operations.test.ts');
    const machines = watchMachines(lab.kube);
    try {
      await apply(lab, fixtureSecret('busy'), fixtureHost('busy', { image: IMAGE }));
      await hostIn(lab, 'busy', 'inspecting');
      await reset('busy', 'middle');
      await hostIn(lab, 'busy', 'provisioning');
      for (const point of ['last', 'middle', 'first'] as const) await reset('busy', point);
      await hostIn(lab, 'busy', 'provisioned');
      await expect.poll(() => machines.told('busy'), PATIENCE).toMatchObject({ inspect: 1, active: 1 });
      expect(machines.told('busy')).not.toHaveProperty('deleted');
    } finally {
      machines.close();
    }
  });

  test('whose run is terminated stays provisioned, and is deprovisioned when its image is taken off', async () => {
    await provisioned('ended');
    const before = sights.of('ended').length;
    await withRun('ended', (run) => run.terminate('by hand'));
    await restarted('ended');
    expect(
      new Set(
        sights
          .of('ended')
          .slice(before)
          .map(({ state }) => state),
      ),
    ).not.toContain('deprovisioning');
    await editHost(lab, 'ended', { image: null });
    await terminateOperation('ended');
    const { status } = await hostIn(lab, 'ended', 'available');
    expect(status.errorCount).toBe(0);
    await expect
      .poll(() => eventsOf('ended'), PATIENCE)
      .toContainEqual(
        expect.stringMatching(/^OperationEnded: .*ended in Temporal, not by Temper; it is begun again: /),
      );
  });

  test('whose run is terminated while it is being deleted is gone in the end', async ({ skip }) => {
    atNight(skip, 'k8s-bridge/sweeps/closed-runs.test.ts');
    await provisioned('leaving');
    await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: 'leaving' }) });
    await hostIn(lab, 'leaving', 'deprovisioning');
    await withRun('leaving', (run) => run.terminate('by hand'));
    await restarted('leaving');
    await hostGone(lab, 'leaving');
  });
});
