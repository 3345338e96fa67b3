import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { hostConditions } from '../../domain/host/report/conditions.ts';
import { createLedger, type Ledger } from '../../k8s-bridge/ledger.ts';
import { hostPath } from '../../kube/paths.ts';
import { aHost } from '../builders/host.ts';
import { ANYTHING, eventsOf, openScene, recordOf, type Scene, viewOf } from './bridge/harness.ts';
import { NINE, PUBLISHED, publishOnce, refOf, TEN } from './bridge/publish-once.ts';
import type { TestView } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

/** No bridge runs here: only these calls write. */
let scene: Scene;
beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
});
afterAll(() => scene.end());

/** The measurements since the start of the test, with label values. */
let counts: string[];
beforeEach(() => {
  counts = [];
});

/** As a bridge that has just started, at a moment of our choice. */
const publishAt = (moment: number, view: TestView, ledger?: Ledger) =>
  publishOnce({ kube: scene.kube, moment, view, ...(ledger && { ledger }), count: (what) => void counts.push(what) });

const statusOf = async (host: BareMetalHost) => (await scene.host(host.metadata.name))?.status;

describe('a status', () => {
  test('is written with the time of its last change, and not at all when nothing has changed', async () => {
    const host = await scene.createHost('timed');
    await publishAt(NINE, viewOf(host, 'inspecting'));
    const before = await scene.host('timed');
    expect(before?.status?.lastUpdated).toBe('2026-01-01T09:00:00Z');

    await publishAt(TEN, viewOf(host, 'inspecting', { revision: 2 }));
    expect(await scene.host('timed')).toEqual(before);

    await publishAt(TEN, viewOf(host, 'preparing', { revision: 3 }));
    expect((await statusOf(host))?.lastUpdated).toBe('2026-01-01T10:00:00Z');
  });

  test('loses the fields that are no longer so', async () => {
    const host = await scene.createHost('cleared');
    const error = {
      operationalStatus: 'error',
      errorType: 'registration error',
      errorMessage: 'no way in',
      errorCount: 3,
    } as const;
    await publishAt(NINE, viewOf(host, 'registering', { shown: { status: { ...recordOf('registering'), ...error } } }));
    expect(await statusOf(host)).toMatchObject(error);

    await publishAt(TEN, viewOf(host, 'registering', { revision: 2 }));

    const status = await statusOf(host);
    expect(status).toMatchObject({ operationalStatus: 'OK', errorMessage: '', errorCount: 0 });
    expect(status).not.toHaveProperty('errorType');
  });

  test('keeps a count of failed deployments that another client wrote, until the workflow has one of its own', async () => {
    const host = await scene.createHost('allowed');
    const ledger = createLedger();
    const counted = (revision: number, provisioningFailCount: number): TestView =>
      viewOf(host, 'available', {
        revision,
        shown: { status: { ...recordOf('available'), provisioningFailCount, errorCount: revision } },
      });
    const countAfter = async (view: TestView): Promise<number | undefined> => {
      await publishAt(NINE, view, ledger);
      return (await statusOf(host))?.provisioningFailCount;
    };
    expect(await countAfter(counted(1, 5))).toBe(5);
    await scene.kube.patch(`${hostPath(refOf(host))}/status`, { status: { provisioningFailCount: 0 } });
    expect(await countAfter(counted(2, 5))).toBe(0);
    expect(await countAfter(counted(3, 1))).toBe(1);
  });

  test('keeps the time of a condition that goes on being so', async () => {
    const host = await scene.createHost('steady');
    await publishAt(NINE, viewOf(host, 'provisioning'));
    await publishAt(TEN, viewOf(host, 'provisioned', { revision: 2 }));
    expect((await statusOf(host))?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T10:00:00Z' },
      { type: 'AvailableForProvisioning', lastTransitionTime: '2026-01-01T09:00:00Z' },
      { type: 'Healthy' },
      { type: 'Manageable', lastTransitionTime: '2026-01-01T09:00:00Z' },
      { type: 'Progressing', lastTransitionTime: '2026-01-01T10:00:00Z' },
      { type: 'Provisioned', lastTransitionTime: '2026-01-01T10:00:00Z' },
    ]);
  });

  test('gets through while another client changes the host all the time', async () => {
    const host = await scene.createHost('contended');
    const changes = Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        scene.patchHost('contended', { metadata: { annotations: { at: `${at}` } } }),
      ),
    );
    const answers = await Promise.all(
      [1, 2, 3].map((revision) => publishAt(NINE, viewOf(host, 'inspecting', { revision }))),
    );
    await changes;
    expect(answers).toEqual([PUBLISHED, PUBLISHED, PUBLISHED]);
    expect(await statusOf(host)).toMatchObject({ provisioning: { state: 'inspecting' } });
  });
});

describe('hardware that was found', () => {
  test('is shown in the status, and its architecture in the spec', async () => {
    const host = await scene.createHost('found');
    const hardware = { hostname: 'h', cpu: { arch: 'aarch64', count: 2 } };
    await createHostData(scene.kube, () => undefined).saveHardware(refOf(host), hardware);

    await publishAt(NINE, viewOf(host, 'preparing', { shown: { ofKind: { hardwareInspected: true } } }));

    expect(await scene.host('found')).toMatchObject({ spec: { architecture: 'aarch64' }, status: { hardware } });
    expect(await eventsOf(scene, 'found')).toEqual([]);
  });

  test('and is no longer so is not left over', async () => {
    const host = await scene.createHost('refound', { spec: { architecture: 'x86_64' } });
    const data = createHostData(scene.kube, () => undefined);
    await data.saveHardware(refOf(host), { hostname: 'h', ramMebibytes: 1 });
    await publishAt(NINE, viewOf(host, 'preparing', { shown: { ofKind: { hardwareInspected: true } } }));
    await data.saveHardware(refOf(host), { hostname: 'i', cpu: { arch: 'aarch64' } });

    await publishAt(TEN, viewOf(host, 'available', { revision: 2, shown: { ofKind: { hardwareInspected: true } } }));

    expect((await statusOf(host))?.hardware).toEqual({ hostname: 'i', cpu: { arch: 'aarch64' } });
    expect((await scene.host('refound'))?.spec.architecture).toBe('x86_64');
  });

  test('may come from an annotation, which is then removed', async () => {
    const annotations = { 'inspect.metal3.io/hardwaredetails': '{"hostname":"told"}' };
    const host = await scene.createHost('told', { spec: { inspectionMode: 'disabled' }, metadata: { annotations } });

    await publishAt(NINE, viewOf(host, 'preparing'));

    const after = await scene.host('told');
    expect(after?.status?.hardware).toEqual({ hostname: 'told', systemVendor: {}, cpu: {}, firmware: { bios: {} } });
    expect(after?.metadata.annotations).toBeUndefined();
    expect(await eventsOf(scene, 'told')).toMatchObject([
      {
        reason: 'UpdateHardwareDetails',
        message: 'Set HardwareDetails from hardware data or annotation',
        type: 'Normal',
      },
    ]);
  });

  test('in an annotation is ignored when it is known already, and the annotation is removed', async () => {
    const host = await scene.createHost('known');
    await createHostData(scene.kube, () => undefined).saveHardware(refOf(host), { hostname: 'found' });
    await publishAt(NINE, viewOf(host, 'available', { shown: { ofKind: { hardwareInspected: true } } }));
    const annotations = { 'inspect.metal3.io/hardwaredetails': '{"hostname":"told"}' };
    await scene.patchHost('known', { metadata: { annotations } });

    await publishAt(TEN, viewOf(host, 'available', { revision: 2, shown: { ofKind: { hardwareInspected: true } } }));

    const after = await scene.host('known');
    expect(after?.status?.hardware).toEqual({ hostname: 'found' });
    expect(after?.metadata.annotations).toBeUndefined();
    expect(await eventsOf(scene, 'known')).toMatchObject([
      {
        reason: 'RemoveAnnotation',
        message: 'HardwareDetails annotation ignored, status already set and inspection is not disabled',
        type: 'Normal',
      },
    ]);
  });

  test('in an unreadable annotation has one Event, and the annotation stays', async () => {
    const annotations = { 'inspect.metal3.io/hardwaredetails': '{"wheels":4}' };
    const host = await scene.createHost('mistold', { spec: { inspectionMode: 'disabled' }, metadata: { annotations } });

    await publishAt(NINE, viewOf(host, 'preparing'));
    await publishAt(TEN, viewOf(host, 'available', { revision: 2 }));

    expect(await scene.host('mistold')).toMatchObject({ metadata: { annotations }, status: ANYTHING });
    expect(await eventsOf(scene, 'mistold')).toMatchObject([{ reason: 'InvalidAnnotationValue', type: 'Warning' }]);
  });
});

describe('a host that is in quarantine before it has a state', () => {
  const annotations = { 'temper/quarantine': 'loud' };
  const conditions = hostConditions(aHost({ seen: { annotations } }));

  test('says so in its status', async () => {
    const host = await scene.createHost('born-held', { metadata: { annotations } });
    await publishAt(NINE, viewOf(host, '', { shown: { conditions } }));
    expect((await statusOf(host))?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', message: expect.stringContaining('loud') as string }),
    );
  });

  test('is not written while it is paused', async () => {
    const paused = { ...annotations, 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' };
    const host = await scene.createHost('born-paused', { metadata: { annotations: paused } });
    await publishAt(NINE, viewOf(host, '', { shown: { conditions } }));
    expect(await statusOf(host)).toBeUndefined();
  });
});

describe('a status that came along as an annotation', () => {
  test('is taken off once a status was written', async () => {
    const annotations = { 'baremetalhost.metal3.io/status': '{}' };
    const host = await scene.createHost('moved', { metadata: { annotations } });
    await publishAt(NINE, viewOf(host, 'provisioned'));
    expect((await scene.host('moved'))?.metadata.annotations).toBeUndefined();
  });
  test('stays on a host that is paused, to go with it where it is moved', async () => {
    const annotations = { 'baremetalhost.metal3.io/status': '{}', 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' };
    const host = await scene.createHost('moving', { metadata: { annotations } });
    await publishAt(NINE, viewOf(host, 'provisioned'));
    expect((await scene.host('moving'))?.metadata.annotations).toEqual(annotations);
  });
});

test('the annotation that says that its node is being undeployed goes when a host has left that state', async () => {
  const annotations = { 'temper/undeploying': 'node-id' };
  const host = await scene.createHost('undeployed', { metadata: { annotations } });
  await publishAt(NINE, viewOf(host, 'deprovisioning'));
  expect((await scene.host('undeployed'))?.metadata.annotations).toEqual(annotations);
  await publishAt(TEN, viewOf(host, 'available', { revision: 2 }));
  expect((await scene.host('undeployed'))?.metadata.annotations).toBeUndefined();
});

describe('a finalizer', () => {
  test('of another client stays when ours comes and goes', async () => {
    const theirs = 'my.own/finalizer';
    const host = await scene.createHost('held', { metadata: { finalizers: [theirs] } });
    await publishAt(NINE, viewOf(host, 'available'));
    expect((await scene.host('held'))?.metadata.finalizers).toEqual([theirs, 'baremetalhost.metal3.io']);

    await scene.deleteHost('held');
    await publishAt(TEN, viewOf(host, 'deleting', { revision: 2, leaving: true }));

    expect((await scene.host('held'))?.metadata.finalizers).toEqual([theirs]);
  });

  test('is not removed from a host that is not being deleted', async () => {
    const host = await scene.createHost('kept');
    await publishAt(NINE, viewOf(host, 'available'));
    const leaving = viewOf(host, 'deleting', { revision: 2, leaving: true });
    // The request for its deletion was lost with an etcd that was restored.
    expect(await publishAt(TEN, leaving)).toEqual({ kind: 'behind' });
    expect(await scene.host('kept')).toMatchObject({
      metadata: { finalizers: ['baremetalhost.metal3.io'] },
      status: { provisioning: { state: 'available' } },
    });
  });
});

describe('what is shown', () => {
  const event = { id: '7', reason: 'ProvisioningError', message: 'no disk' };

  test('is counted once, however often and by however many bridges it is shown', async () => {
    const host = await scene.createHost('counted');
    const view = viewOf(host, 'registering', { shown: { events: [event] } });
    await publishAt(NINE, view);
    await publishAt(TEN, view);
    await publishAt(TEN, viewOf(host, 'inspecting', { revision: 2, shown: { events: [event] } }));
    expect(counts).toEqual([
      'metal3_provisioning_state_change_total  registering',
      'metal3_host_error_total ProvisioningError',
      'metal3_provisioning_state_change_total registering inspecting',
    ]);
  });

  test('is not counted as a step of a host that was moved here in that state', async () => {
    const status = recordOf('provisioned');
    const annotations = { 'baremetalhost.metal3.io/status': JSON.stringify(status) };
    const host = await scene.createHost('moved-in', { metadata: { annotations } });
    await publishAt(NINE, viewOf(host, 'provisioned'));
    expect(counts).toEqual([]);
  });

  test('is counted when it is deleted and waits for being detached no longer', async () => {
    const annotations = { 'baremetalhost.metal3.io/detached': '{"deleteAction":"delay"}' };
    const metadata = { annotations, finalizers: ['baremetalhost.metal3.io'] };
    const host = await scene.createHost('held-back', { metadata });
    await publishAt(NINE, viewOf(host, ''));
    await scene.deleteHost('held-back');
    await publishAt(NINE, viewOf(host, '', { revision: 2 }));
    expect(counts).toEqual(['metal3_delete_delayed_for_detached_total']);
  });
});
