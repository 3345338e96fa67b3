import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isBefore } from '../../domain/entity/order.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import type { MachineSnapshot } from '../../domain/machine/memory/snapshot.ts';
import { configMapPath } from '../../kube/paths.ts';
import {
  entityWorkflowId,
  hostWorkflowId,
  nodeObserved,
  observed,
  TASK_QUEUE,
  vanished,
  view,
} from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { aNode } from '../builders/host.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { activitiesOf, causesOf, hasDone, isAtRest, lastObserved } from './support/forged.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { type Host, hostIn, kubectl, NAMESPACE } from './support/hosts.ts';
import * as metal from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';

/** Somebody who may write to Temporal, and not to the API server, sends messages about a host that is used. */
const CLUSTER = 'test1';
/** A host that runs what a machine has given it, and the machine. */
const name = 'used';
const id = hostWorkflowId({ namespace: NAMESPACE, name });
const idOfMachine = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await shareFixtureLab();
  await metal.aCluster(lab, CLUSTER);
  await metal.aHostWithMachine(lab, CLUSTER, name);
  await hostIn(lab, name, 'provisioned');
});
afterAll(() => lab?.stop());

describe('who forges a message of Temporal', () => {
  const asItIs = async (): Promise<Host> => hostIn(lab, name, 'provisioned');
  /** Its machine in the fixture, of which each change is a new version. */
  const machineOf = ({ status }: Host): Promise<unknown> =>
    lab.kube.request({ path: configMapPath({ namespace: NAMESPACE, name: status.provisioning.ID }) });

  test('that starts operations of a host that is used changes nothing on its machine', async () => {
    const host = await asItIs();
    const machine = await machineOf(host);
    const order = {
      ...host.spec,
      host: { namespace: NAMESPACE, name, uid: host.metadata.uid },
      nodeId: host.status.provisioning.ID,
      unprepared: true,
      isBegun: true,
      isForced: true,
      retry: true,
    };
    const answers = await withTemporal(lab, ({ workflow }) =>
      Promise.all(
        ['deprovision', 'delete', 'prepare'].map((operation) =>
          workflow
            .execute(`${operation}Workflow`, {
              taskQueue: TASK_QUEUE,
              workflowId: `${id}/${operation}/forged`,
              args: [order],
            })
            .then(() => 'done', causesOf),
        ),
      ),
    );
    expect(answers).toEqual(
      ['it is provisioned as its spec asks', 'it is neither being deleted nor to be detached', 'it is provisioned'].map(
        (why) => expect.stringContaining(`BareMetalHost ${name}: ${why}`) as unknown,
      ),
    );
    expect(await machineOf(await asItIs())).toEqual(machine);
  });

  test.for<[string, (sent: HostSnapshot, provisioning: object) => object, 'at night'?]>([
    ['without its image', ({ spec }) => ({ spec: { ...spec, image: undefined } }), 'at night'],
    ['that is being deleted', () => ({ deletionTimestamp: new Date().toISOString() })],
    [
      'without its image, as if its run had lost its memory',
      ({ spec, status }, provisioning) => ({
        spec: { ...spec, image: undefined },
        status: { ...status, provisioning },
      }),
    ],
    [
      'that is losing another image, as if its run had lost its memory',
      ({ status }, provisioning) => ({
        status: { ...status, provisioning: { ...provisioning, state: 'deprovisioning', image: { url: '' } } },
      }),
    ],
    [
      'that is losing what a custom deploy step has installed, as if its run had lost its memory',
      ({ status }, provisioning) => ({
        status: {
          ...status,
          provisioning: { ...provisioning, state: 'deprovisioning', customDeploy: { method: 'forged' } },
        },
      }),
    ],
  ])('with a host that is used %s changes nothing on its machine', async ([what, forge, when], { skip }) => {
    if (when === 'at night') atNight(skip, 'test/e2e/forged-messages.test.ts');
    const host = await asItIs();
    const machine = await machineOf(host);
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(id);
      const sent = await lastObserved(run);
      const order = { ...sent.order, number: sent.order.number + 1 };
      const snapshot = { ...sent.snapshot, ...forge(sent.snapshot, host.status.provisioning) };
      const anew = what.includes('memory') && { anew: true as const };
      await run.signal(observed, { snapshot, order, ...anew });
      await vi.waitUntil(async () => {
        const { order: taken, shown } = (await run.query(view)) ?? {};
        const isTaken = taken !== undefined && !isBefore(taken, order);
        return isTaken && shown?.state === 'provisioned' && (await isAtRest(run, 'provisioned as desired'));
      }, metal.PATIENCE);
    });
    const { status } = await asItIs();
    expect(status.provisioning.image).toEqual(host.status.provisioning.image);
    expect(await machineOf(host)).toEqual(machine);
  });

  /** The names of all machines of the fixture, one for each registration. */
  const registered = (): Promise<string> =>
    kubectl(lab, ['get', 'configmaps', '--namespace', NAMESPACE, '--output', 'name']);

  test.each([
    ['has vanished', 'registerNode', () => ({ node: null })],
    [
      'waits for a deployment',
      'adoptNode',
      (nodeId: string) => ({ node: aNode({ id: nodeId, state: 'available' }), unused: true as const }),
    ],
  ])('that says that the node of a host that is used %s changes nothing on its machine', async (_, activity, forge) => {
    const host = await asItIs();
    const nodeId = host.status.provisioning.ID;
    const [machine, machines] = [await machineOf(host), await registered()];
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(id);
      await run.signal(nodeObserved, { uid: host.metadata.uid, nodeId, ...forge(nodeId) });
      await vi.waitUntil(
        async () => (await isAtRest(run, 'provisioned as desired')) && (await hasDone(run, activity)),
        metal.PATIENCE,
      );
    });
    expect((await asItIs()).status.provisioning).toEqual(host.status.provisioning);
    expect(await machineOf(host)).toEqual(machine);
    expect(await registered()).toBe(machines);
  });

  test('that says that a host and its machine have vanished moves nothing, and their runs begin again', async () => {
    const host = await asItIs();
    const [machine, machines] = [await machineOf(host), await registered()];
    const owner = await metal.get(lab, 'metal3Machine', name);
    await withTemporal(lab, async ({ workflow }) => {
      const restarted = async (workflowId: string, uid = ''): Promise<void> => {
        const run = workflow.getHandle(workflowId);
        const { runId } = await run.describe();
        await run.signal(vanished, { uid });
        await vi.waitUntil(async () => {
          const now = await run.describe();
          return now.runId !== runId && now.status.name === 'RUNNING';
        }, metal.PATIENCE);
      };
      await Promise.all([restarted(id, host.metadata.uid), restarted(idOfMachine, owner?.metadata.uid)]);
      await vi.waitUntil(() => isAtRest(workflow.getHandle(id), 'provisioned as desired'), metal.PATIENCE);
    });
    const after = await asItIs();
    expect(after.status.provisioning).toEqual(host.status.provisioning);
    expect([after.spec, after.metadata.finalizers]).toEqual([host.spec, host.metadata.finalizers]);
    expect(await machineOf(host)).toEqual(machine);
    expect(await registered()).toBe(machines);
    const { spec, metadata } = (await metal.get(lab, 'metal3Machine', name)) ?? {};
    expect([spec, metadata?.finalizers]).toEqual([owner?.spec, owner?.metadata.finalizers]);
  });

  test('with a machine as a restarted bridge may have seen it before its claim has it look at its host, and keep it', async () => {
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(idOfMachine);
      const { snapshot, order } = await lastObserved<MachineSnapshot>(run);
      const { host: _, hostAnnotation: __, ...before } = snapshot;
      const forged = { ...before, versionsSince: (snapshot.versionsSince ?? 0) + 1 };
      await run.signal(observed, { snapshot: forged, order: { ...order, number: order.number + 1 } });
      const done = async (): Promise<readonly string[]> => {
        const all = await activitiesOf(run);
        const from = all.indexOf('findOwnHost');
        return from < 0 ? [] : all.slice(from, from + 2);
      };
      await expect.poll(done, metal.PATIENCE).toEqual(['findOwnHost', 'requestHost']);
    });
    const annotations = { 'metal3.io/BareMetalHost': `${NAMESPACE}/${name}` };
    await metal.expectToShow(lab, 'metal3Machine', name, { metadata: { annotations } });
    expect((await asItIs()).spec['consumerRef']).toMatchObject({ kind: 'Metal3Machine', name });
    await keepRuns(lab, 'last-host', idOfMachine);
  });

  test('with what can not be shown keeps no run from going on', async () => {
    const events = ['get', 'events', `--namespace=${NAMESPACE}`, '--output=jsonpath={.items[*].reason}'];
    const ofMachine = `--field-selector=involvedObject.kind=Metal3Machine,involvedObject.name=${name}`;
    await withTemporal(lab, async ({ workflow }) => {
      const run = workflow.getHandle(idOfMachine);
      const { snapshot, order } = await lastObserved<MachineSnapshot>(run);
      // The run takes it in, and the API server refuses what the run would show.
      const forged = { ...snapshot, status: { ...snapshot.status, renderedData: { name: 5 } } };
      await run.signal(observed, { snapshot: forged, order: { ...order, number: order.number + 1 }, anew: true });
      for (const reason of ['WriteRefused', 'WorkflowBegunAnew'])
        await expect.poll(() => kubectl(lab, [...events, ofMachine]), metal.PATIENCE).toContain(reason);
      const shown = async (): Promise<object> => {
        const { behind, shown: now } = (await run.query(view)) ?? {};
        return { behind, renderedData: now?.status?.['renderedData'] };
      };
      await expect.poll(shown, metal.PATIENCE).toEqual({ behind: undefined, renderedData: undefined });
    });
  });
});
