import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPath, secretPath } from '../../kube/paths.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import {
  ANY_VERSION,
  ANYTHING,
  eventsOf,
  openScene,
  PATIENCE,
  recordOf,
  type Scene,
  viewOf,
} from './bridge/harness.ts';
import { finish, know } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
  await scene.startRecorder();
  scene.startBridge();
});
afterAll(() => scene.end());

/** Waits until the host's workflow was signalled. */
const told = (name: string) =>
  expect.poll(() => scene.recorded(name), PATIENCE).toMatchObject({ snapshots: [expect.objectContaining({ name })] });

/** Minimum time between two signals to one host. */
const SIGNAL_MS = 200;

describe('a BareMetalHost', () => {
  test('reaches its workflow, and what the workflow shows reaches it', async () => {
    const host = await scene.createHost('first');
    await told('first');

    await scene.show(viewOf(host, 'registering'));

    await expect
      .poll(() => scene.host('first'), PATIENCE)
      .toMatchObject({
        metadata: { finalizers: ['baremetalhost.metal3.io'] },
        status: {
          provisioning: { state: 'registering', ID: '1111' },
          operationalStatus: 'OK',
          conditions: [
            { type: 'Ready', status: 'False', observedGeneration: 0 },
            { type: 'AvailableForProvisioning', status: 'False' },
            { type: 'Healthy', status: 'Unknown' },
            { type: 'Manageable', status: 'False', reason: 'Registering' },
            { type: 'Progressing', status: 'True', reason: 'Registering' },
            { type: 'Provisioned', status: 'False', observedGeneration: 1 },
            { type: 'Reconciling', status: 'True', reason: 'Registering' },
          ],
        },
      });
  });

  test('is looked after in each of several namespaces, and in no other', async () => {
    const where = sharedControlPlane();
    const [one, other, unwatched] = [await openScene(where), await openScene(where), await openScene(where)];
    try {
      one.startBridge({ config: { WATCH_NAMESPACE: `${one.namespace},${other.namespace}` } });
      await unwatched.createHost('many');
      for (const each of [one, other]) await each.createHost('many');
      for (const each of [one, other]) {
        const snapshots = [expect.objectContaining({ namespace: each.namespace, name: 'many' })];
        await expect.poll(() => each.recorded('many'), PATIENCE).toMatchObject({ snapshots });
      }
      await expect(unwatched.recorded('many')).rejects.toThrow('workflow not found');
    } finally {
      for (const each of [one, other, unwatched]) await each.end();
    }
  });

  test('changed a hundred times in a row becomes few signals, the last of which has the last state', async () => {
    const began = Date.now();
    await scene.createHost('busy');

    for (let at = 0; at < 100; at++) await scene.patchHost('busy', { spec: { description: `change ${at}` } });

    const last = { generation: 101, spec: { description: 'change 99' } };
    await expect.poll(async () => (await scene.recorded('busy')).snapshots.at(-1), PATIENCE).toMatchObject(last);
    const { snapshots } = await scene.recorded('busy');
    expect(snapshots.length).toBeLessThanOrEqual((Date.now() - began) / SIGNAL_MS + 2);
    expect(snapshots.map(({ generation }) => generation)).toEqual(
      snapshots.map(({ generation }) => generation).toSorted((a, b) => a - b),
    );
  });

  test("is signalled when its Secret is created later, and gets only the Secret's version", async () => {
    await scene.createHost('early', { spec: { bmc: { address: 'redfish://x', credentialsName: 'late' } } });
    await told('early');

    await scene.createSecret('late');

    await expect
      .poll(async () => (await scene.recorded('early')).snapshots.map(({ bmcSecret }) => bmcSecret), PATIENCE)
      .toEqual([
        { name: 'late', resourceVersion: null },
        { name: 'late', resourceVersion: ANY_VERSION },
      ]);
  });

  test('releases the Secret that it has left behind, once the new one works', async () => {
    const host = await scene.createHost('rotated');
    const uid = host.metadata.uid ?? '';
    const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'rotated', uid };
    const left = secretPath({ namespace: scene.namespace, name: 'rotated-out' });
    await scene.createSecret('rotated-out');
    await scene.kube.patch(left, {
      metadata: {
        finalizers: ['baremetalhost.metal3.io/secret', 'example.com/others'],
        labels: { 'environment.metal3.io': 'baremetal' },
        ownerReferences: [owner],
      },
    });
    await scene.patchHost('rotated', { spec: { bmc: { credentialsName: 'rotated-in' } } });
    await scene.createSecret('rotated-in');
    const marks = { finalizers: ['baremetalhost.metal3.io/secret'] };
    await scene.kube.patch(secretPath({ namespace: scene.namespace, name: 'rotated-in' }), { metadata: marks });
    const metadataOf = async () => ((await scene.kube.find(left)) as typeof host).metadata;
    await expect.poll(metadataOf, { timeout: 20_000 }).toMatchObject({ finalizers: ['example.com/others'] });
    const released = await metadataOf();
    expect(released).not.toHaveProperty('ownerReferences');
    expect(released).not.toHaveProperty('labels');
    await scene.kube.patch(left, { metadata: { finalizers: [] } });
  });

  test('releases a Secret once its run has used network data that nobody may mark', async () => {
    const spec = { bmc: { address: '', credentialsName: '' }, preprovisioningNetworkDataName: 'unmarked-net' };
    const host = await scene.createHost('unmarked', { spec });
    const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name: 'unmarked', uid: host.metadata.uid };
    const left = secretPath({ namespace: scene.namespace, name: 'unmarked-out' });
    await scene.createSecret('unmarked-net');
    await scene.createSecret('unmarked-out');
    await scene.kube.patch(left, {
      metadata: { finalizers: ['baremetalhost.metal3.io/secret'], ownerReferences: [owner] },
    });
    await scene.show(viewOf(host, 'available', { shown: { ofKind: { agentNetwork: 'unmarked-net' } } }));
    const finalizers = async () => ((await scene.kube.find(left)) as typeof host).metadata.finalizers;
    await expect.poll(finalizers, { timeout: 20_000 }).toBeUndefined();
  });

  test('is signalled for each version of the Secret with the network of its deploy agent', async () => {
    await scene.createHost('networked', { spec: { preprovisioningNetworkDataName: 'net' } });
    await told('networked');
    const versions = async () =>
      (await scene.recorded('networked')).snapshots.map(({ preprovisioningNetworkData: net }) => net?.resourceVersion);

    await scene.createSecret('net');
    await expect.poll(versions, PATIENCE).toEqual([null, ANY_VERSION]);
    await scene.kube.patch(secretPath({ namespace: scene.namespace, name: 'net' }), {
      stringData: { networkData: 'links: []' },
    });

    await expect.poll(versions, PATIENCE).toEqual([null, ANY_VERSION, ANY_VERSION]);
  });

  test('whose count of failed deployments a client resets signals its workflow', async () => {
    const host = await scene.createHost('counted');
    await told('counted');
    const status = { ...recordOf('available'), provisioningFailCount: 5 };
    await scene.show(viewOf(host, 'available', { shown: { status } }));
    await expect.poll(async () => (await scene.recorded('counted')).answers, PATIENCE).toHaveLength(1);

    await scene.kube.patch(`${hostPath(host.metadata)}/status`, { status: { provisioningFailCount: 0 } });

    await expect
      .poll(async () => (await scene.recorded('counted')).snapshots.map((seen) => seen.failCountWritten), PATIENCE)
      .toEqual([undefined, 0]);
  });

  test('whose status alone changes does not signal its workflow', async () => {
    const host = await scene.createHost('quiet');
    await told('quiet');
    for (const revision of [1, 2, 3, 4, 5]) {
      const status = { ...recordOf('registering'), errorCount: revision };
      await scene.show(viewOf(host, 'registering', { revision, shown: { status } }));
      await expect.poll(async () => (await scene.recorded('quiet')).answers, PATIENCE).toHaveLength(revision);
    }

    await scene.patchHost('quiet', { spec: { description: 'news' } });

    await expect
      .poll(async () => (await scene.recorded('quiet')).snapshots.map(({ generation }) => generation), PATIENCE)
      .toEqual([1, 2]);
  });

  test('is started again when its workflow has ended', async () => {
    const host = await scene.createHost('again');
    await told('again');
    const handle = scene.client.workflow.getHandle(hostWorkflowId(host.metadata));
    const { runId } = await handle.describe();
    await handle.signal(finish);
    await handle.result();

    await scene.patchHost('again', { spec: { description: 'come back' } });

    await expect.poll(async () => (await handle.describe()).runId, PATIENCE).not.toBe(runId);
    await expect.poll(() => scene.recorded('again'), PATIENCE).toMatchObject({ snapshots: [{ generation: 2 }] });
  });
});

describe('a view', () => {
  test('that is older than what was shown is dropped', async () => {
    const host = await scene.createHost('stale');
    await told('stale');
    await scene.show(viewOf(host, 'inspecting', { revision: 7 }));
    await scene.show(viewOf(host, 'registering', { revision: 6, at: 1 }));
    await scene.show(viewOf(host, 'preparing', { revision: 8 }));

    await expect
      .poll(async () => (await scene.recorded('stale')).answers, PATIENCE)
      .toEqual(['published', 'superseded', 'published']);
    expect(await scene.host('stale')).toMatchObject({ status: { provisioning: { state: 'preparing' } } });
  });

  test('of a workflow that was started again counts, though its revisions begin again', async () => {
    const host = await scene.createHost('reborn');
    await told('reborn');
    await scene.show(viewOf(host, 'inspecting', { revision: 7 }));
    await scene.show(viewOf(host, 'inspecting', { run: 'run-2', revision: 1 }));

    await expect
      .poll(async () => (await scene.recorded('reborn')).answers, PATIENCE)
      .toEqual(['published', 'published']);
  });

  test('of a host whose name belongs to another one now is ignored', async () => {
    const host = await scene.createHost('other');
    await told('other');
    await scene.show({ ...viewOf(host, 'registering'), uid: '00000000-0000-0000-0000-000000000000' });

    await expect.poll(async () => (await scene.recorded('other')).answers, PATIENCE).toEqual(['superseded']);
    expect((await scene.host('other'))?.status).toBeUndefined();
  });

  test('of a host that is gone is answered so', async () => {
    const host = await scene.createHost('brief');
    await told('brief');
    await scene.deleteHost(host.metadata.name);
    await scene.show(viewOf(host, 'registering'));

    await expect.poll(async () => (await scene.recorded('brief')).answers, PATIENCE).toEqual(['gone']);
  });

  test('takes acted-upon annotations off, and no other', async () => {
    const annotations = { 'reboot.metal3.io': '', 'my.own/note': 'keep' };
    const host = await scene.createHost('annotated', { metadata: { annotations } });
    await told('annotated');
    await scene.show(viewOf(host, 'available', { shown: { annotations: { 'reboot.metal3.io': null } } }));

    await expect
      .poll(async () => (await scene.host('annotated'))?.metadata.annotations, PATIENCE)
      .toEqual({ 'my.own/note': 'keep' });
  });

  test('has each of its events written once, however often it is shown', async () => {
    const consumerRef = { kind: 'Metal3Machine', name: 'user', namespace: scene.namespace };
    const host = await scene.createHost('loud', { spec: { consumerRef } });
    await told('loud');
    const events = [{ id: '1', reason: 'InspectionStarted', message: 'Hardware inspection started' }];
    await scene.show(viewOf(host, 'inspecting', { revision: 1, shown: { events } }));
    await scene.show(viewOf(host, 'inspecting', { revision: 2, shown: { events } }));
    await expect.poll(async () => (await scene.recorded('loud')).answers, PATIENCE).toHaveLength(2);

    expect(await eventsOf(scene, 'loud')).toEqual([
      expect.objectContaining({
        type: 'Normal',
        count: 1,
        reason: 'InspectionStarted',
        message: 'Hardware inspection started',
        source: { component: 'metal3-baremetal-controller' },
        reportingComponent: 'metal3.io/baremetal-controller',
        related: consumerRef,
      }),
    ]);
  });

  test('without the finalizer removes that of a deleted host, and nothing starts a workflow for it again', async () => {
    const host = await scene.createHost('leaving');
    await told('leaving');
    await scene.show(viewOf(host, 'available', { revision: 1 }));
    await expect.poll(async () => (await scene.recorded('leaving')).answers, PATIENCE).toHaveLength(1);
    await scene.deleteHost(host.metadata.name);
    await expect
      .poll(async () => (await scene.recorded('leaving')).snapshots.at(-1), PATIENCE)
      .toMatchObject({ deletionTimestamp: ANYTHING });

    await scene.show(viewOf(host, 'deleting', { revision: 2, leaving: true }));

    await expect.poll(() => scene.host('leaving'), PATIENCE).toBeUndefined();
    expect((await scene.recorded('leaving')).vanished).toEqual([]);
  });
});

describe('a host that was tampered with', () => {
  test('gets its status back', async () => {
    const host = await scene.createHost('edited');
    await told('edited');
    await scene.show(viewOf(host, 'provisioned'));
    await expect.poll(async () => (await scene.recorded('edited')).answers, PATIENCE).toHaveLength(1);
    const path = `${hostPath(host.metadata)}/status`;
    await scene.kube.patch(path, { status: { poweredOn: true, provisioning: { state: 'nonsense' } } });

    await expect
      .poll(() => scene.host('edited'), PATIENCE)
      .toMatchObject({ status: { poweredOn: false, provisioning: { state: 'provisioned' } } });
  });

  test('gets its finalizer back', async () => {
    const host = await scene.createHost('loose');
    await told('loose');
    await scene.show(viewOf(host, 'provisioned'));
    await expect.poll(async () => (await scene.recorded('loose')).answers, PATIENCE).toHaveLength(1);

    await scene.patchHost('loose', { metadata: { finalizers: [] } });

    await expect
      .poll(async () => (await scene.host('loose'))?.metadata.finalizers, PATIENCE)
      .toEqual(['baremetalhost.metal3.io']);
  });

  test('and removed by force tells its workflow that it vanished', async () => {
    const host = await scene.createHost('torn');
    await told('torn');
    await scene.show(viewOf(host, 'provisioned'));
    await expect.poll(async () => (await scene.recorded('torn')).answers, PATIENCE).toHaveLength(1);

    await scene.deleteHost(host.metadata.name);
    await scene.patchHost('torn', { metadata: { finalizers: [] } });

    await expect.poll(async () => (await scene.recorded('torn')).vanished, PATIENCE).toEqual([host.metadata.uid]);
  });
});

describe('a bridge that starts', () => {
  test('shows what workflows came to know while there was none', async () => {
    const away = await openScene(sharedControlPlane());
    try {
      await away.startRecorder();
      const first = away.startBridge();
      const host = await away.createHost('missed');
      await expect.poll(() => away.recorded('missed'), PATIENCE).toMatchObject({ snapshots: [ANYTHING] });
      await first.stop();
      await away.client.workflow.getHandle(hostWorkflowId(host.metadata)).signal(know, viewOf(host, 'available'));

      away.startBridge();

      await expect
        .poll(() => away.host('missed'), PATIENCE)
        .toMatchObject({ status: { provisioning: { state: 'available' } } });
    } finally {
      await away.end();
    }
  });

  test('tells workflows whose hosts vanished while there was none', async () => {
    const away = await openScene(sharedControlPlane());
    try {
      await away.startRecorder();
      const first = away.startBridge();
      const host = await away.createHost('torn');
      await expect.poll(() => away.recorded('torn'), PATIENCE).toMatchObject({ snapshots: [ANYTHING] });
      await first.stop();
      await away.client.workflow.getHandle(hostWorkflowId(host.metadata)).signal(know, viewOf(host, 'available'));
      await away.deleteHost(host.metadata.name);

      away.startBridge();

      await expect.poll(async () => (await away.recorded('torn')).vanished, PATIENCE).toEqual([host.metadata.uid]);
    } finally {
      await away.end();
    }
  });
});
