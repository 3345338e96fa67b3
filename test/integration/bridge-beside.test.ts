import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { hostPath, leaseCollection, leasePath } from '../../kube/paths.ts';
import { createObject } from '../../lab/control-plane/objects.ts';
import { aNodeState } from '../builders/node.ts';
import { eventsOf, openScene, PATIENCE, recordOf, type Scene, viewOf } from './bridge/harness.ts';
import { sharedControlPlane } from './control-plane.ts';
import { leaseOf } from './migration/operators.ts';

/** Two operators at once: baremetal-operator's Lease beside a bridge that works. */
let scene: Scene;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
});
afterAll(() => scene.end());

const WORDS = 'Temper leaves the object alone: baremetal-operator runs, too';
/** Looks within three seconds: after them, the status is older than the last list by more than its whole seconds. */
const SETTLED = 30;
const begin = ({ kube, namespace }: Scene): Promise<unknown> =>
  createObject(kube, leaseCollection(namespace), leaseOf('pod_1', namespace));
const end = ({ kube, namespace }: Scene): Promise<unknown> =>
  kube.request({ method: 'DELETE', path: leasePath({ namespace, name: 'baremetal-operator' }) });
const lastAnnotations = async (): Promise<unknown> => {
  const { snapshots } = await scene.recorded('host-1');
  return snapshots.at(-1)?.annotations;
};

describe('a bridge', () => {
  test('writes nothing to hosts and pauses their runs while baremetal-operator holds its Lease, and goes on after that', async () => {
    await scene.startRecorder();
    const bridge = scene.startBridge({ sweepMs: 250 });
    const host = await scene.createHost('host-1');
    await scene.show(viewOf(host, 'registering'));
    await expect
      .poll(async () => (await scene.host('host-1'))?.status?.provisioning.state, PATIENCE)
      .toBe('registering');

    await begin(scene);
    await expect
      .poll(lastAnnotations, PATIENCE)
      .toEqual({ 'baremetalhost.metal3.io/paused': `${WORDS}, in namespace ${scene.namespace}` });
    const before = await scene.host('host-1');
    await scene.show(viewOf(host, 'inspecting', { revision: 2 }));
    await expect.poll(async () => JSON.stringify(await eventsOf(scene, 'host-1')), PATIENCE).toContain('OtherOperator');
    expect(await scene.metrics()).toContain('temper_objects_left_alone{operator="baremetal-operator"} 1');
    // The object is as it was: the pause is in the cache of the bridge alone.
    expect(await scene.host('host-1')).toEqual(before);
    expect(bridge.missing()).toEqual([]);

    await end(scene);
    await expect.poll(lastAnnotations, PATIENCE).toEqual({});
    const present = await scene.host('host-1');
    if (present === undefined) throw new Error('the host is gone');
    await scene.show(viewOf(present, 'inspecting', { revision: 3 }));
    await expect
      .poll(async () => (await scene.host('host-1'))?.status?.provisioning.state, PATIENCE)
      .toBe('inspecting');
    await bridge.stop();
  });

  test('says in /readyz whose Lease that is when it covers all that it watches, and is ready', async () => {
    const empty = await openScene(sharedControlPlane());
    try {
      await begin(empty);
      const bridge = empty.startBridge({ sweepMs: 250 });
      await expect
        .poll(() => bridge.warnings().join(), PATIENCE)
        .toContain(`pod_1 holds the Lease ${empty.namespace}/baremetal-operator`);
      await expect.poll(() => bridge.missing(), PATIENCE).toEqual([]);
    } finally {
      await empty.end();
    }
  });

  test('goes on while baremetal-operator holds its Lease in a namespace that it does not watch', async () => {
    const [ours, elsewhere] = [await openScene(sharedControlPlane()), await openScene(sharedControlPlane())];
    try {
      await begin(elsewhere);
      await ours.startRecorder();
      const bridge = ours.startBridge({ sweepMs: 250 });
      const host = await ours.createHost('host-1');
      await ours.show(viewOf(host, 'registering'));
      await expect
        .poll(async () => (await ours.host('host-1'))?.status?.provisioning.state, PATIENCE)
        .toBe('registering');
      await expect.poll(() => bridge.missing(), PATIENCE).toEqual([]);
      expect(await ours.metrics()).toContain('temper_objects_left_alone{operator="baremetal-operator"} 0');
    } finally {
      await ours.end();
      await elsewhere.end();
    }
  });

  test('tells no run about a node of Ironic that baremetal-operator changes, before that has ended', async () => {
    const other = await openScene(sharedControlPlane());
    let looks = 0;
    let nodes: readonly NodeStateJson[] = [];
    const told = async (): Promise<readonly unknown[]> => (await other.recorded('host-1')).nodes;
    try {
      await other.startRecorder();
      const listNodes = async (): Promise<readonly NodeStateJson[]> => {
        looks += 1;
        return nodes;
      };
      const host = await other.createHost('host-1');
      const status = { ...recordOf('provisioned'), poweredOn: true };
      const { ID } = status.provisioning;
      const isOff = aNodeState({ uuid: ID, provision_state: 'active', power_state: 'power off' });
      nodes = [{ ...isOff, power_state: 'power on' }];
      other.startBridge({ sweepMs: 250, nodes: { listNodes, intervalMs: 100 } });
      await other.show(viewOf(host, 'provisioned', { shown: { status } }));
      await expect.poll(async () => (await other.host('host-1'))?.status?.poweredOn, PATIENCE).toBe(true);

      await begin(other);
      await expect
        .poll(async () => JSON.stringify((await other.recorded('host-1')).snapshots.at(-1)), PATIENCE)
        .toContain(WORDS);
      nodes = [isOff];
      const before = looks;
      await expect.poll(() => looks, PATIENCE).toBeGreaterThan(before + SETTLED);
      expect(await told()).toEqual([]);

      await end(other);
      await expect
        .poll(async () => (await told())[0], PATIENCE)
        .toMatchObject({ nodeId: ID, node: { poweredOn: false } });
    } finally {
      await other.end();
    }
  });

  test('takes a status that baremetal-operator writes for a sign that it runs', async () => {
    const other = await openScene(sharedControlPlane());
    try {
      other.startBridge({ sweepMs: 250 });
      await other.createHost('host-1');
      await expect.poll(async () => (await other.recorded('host-1')).snapshots.length, PATIENCE).toBeGreaterThan(0);
      await other.kube.request({
        method: 'PATCH',
        path: `${hostPath({ namespace: other.namespace, name: 'host-1' })}/status`,
        query: { fieldManager: 'baremetal-operator' },
        contentType: 'application/merge-patch+json',
        body: {
          status: {
            operationalStatus: 'OK',
            errorMessage: '',
            poweredOn: true,
            provisioning: { state: 'available', ID: 'a' },
          },
        },
      });
      await expect
        .poll(async () => JSON.stringify((await other.recorded('host-1')).snapshots.at(-1)), PATIENCE)
        .toContain(`${WORDS}, in namespace ${other.namespace}`);
    } finally {
      await other.end();
    }
  });
});
