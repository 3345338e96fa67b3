import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHostData } from '../../activities/kubernetes/host/host-data.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { createLedger, type Ledger } from '../../k8s-bridge/ledger.ts';
import { eventsOf, openScene, PATIENCE, recordOf, type Scene, viewOf } from './bridge/harness.ts';
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

describe('a write besides the status that the API server refuses', () => {
  /** Refuses an architecture for hosts of the scene, as a webhook of somebody else might. */
  const policyPath = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const refuse = async (host: string): Promise<() => Promise<void>> => {
    const name = `${scene.namespace}-${host}`;
    const policy = {
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['metal3.io'],
              apiVersions: ['v1alpha1'],
              resources: ['baremetalhosts'],
              operations: ['UPDATE'],
            },
          ],
        },
        validations: [{ expression: '!has(object.spec.architecture)', message: 'architectures are our business' }],
      },
    };
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } };
    const binding = {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
    };
    await scene.kube.request({ method: 'POST', path: policyPath, body: policy });
    await scene.kube.request({
      method: 'POST',
      path: `${policyPath.replace('policies', 'policybindings')}`,
      body: binding,
    });
    const isRefused = (): Promise<boolean> =>
      scene.patchHost(host, { spec: { architecture: 'x' } }).then(
        async () => {
          await scene.patchHost(host, { spec: { architecture: null } });
          return false;
        },
        () => true,
      );
    await expect.poll(isRefused, PATIENCE).toBe(true);
    return async () => {
      await scene.kube.request({ method: 'DELETE', path: `${policyPath}/${name}` });
      await expect.poll(isRefused, PATIENCE).toBe(false);
    };
  };

  test('has an Event, a condition and a counter, and the finalizer and the status are written nevertheless', async () => {
    const host = await scene.createHost('refused');
    await createHostData(scene.kube, () => undefined).saveHardware(refOf(host), { cpu: { arch: 'aarch64' } });
    const allow = await refuse('refused');
    const ledger = createLedger();
    const inspected = { shown: { ofKind: { hardwareInspected: true } } };

    const answer = await publishAt(NINE, viewOf(host, 'preparing', inspected), ledger);
    const again = await publishAt(NINE, viewOf(host, 'available', { ...inspected, revision: 2 }), ledger);

    expect([answer, again]).toEqual([PUBLISHED, PUBLISHED]);
    const shown = await scene.host('refused');
    expect(shown).toMatchObject({
      metadata: { finalizers: ['baremetalhost.metal3.io'] },
      status: { provisioning: { state: 'available' }, hardware: { cpu: { arch: 'aarch64' } } },
    });
    expect(shown?.spec.architecture).toBeUndefined();
    const refusal = expect.stringContaining('architectures are our business') as unknown;
    const ofRefusal = (conditions: readonly { readonly type: string }[] = []) =>
      conditions.filter(({ type }) => type === 'WriteRefused');
    expect(ofRefusal(shown?.status?.conditions)).toMatchObject([{ status: 'True', message: refusal }]);
    expect(await eventsOf(scene, 'refused')).toMatchObject([
      { type: 'Warning', reason: 'WriteRefused', message: refusal },
    ]);
    expect(counts.filter((count) => count.startsWith('refused'))).toEqual([
      'refused BareMetalHost',
      'refused BareMetalHost',
    ]);

    await allow();
    await publishAt(TEN, viewOf(host, 'available', { ...inspected, revision: 3 }), ledger);
    const after = await scene.host('refused');
    expect(after?.spec.architecture).toBe('aarch64');
    expect(ofRefusal(after?.status?.conditions)).toEqual([]);
  });
});

describe('a status with values that the schema refuses, as after a forged message', () => {
  const forgedStatus = (state: 'available' | 'inspecting') => ({
    ...recordOf(state),
    operationalStatus: 'forged' as 'OK',
    provisioning: {
      ...recordOf(state).provisioning,
      raid: { hardwareRAIDVolumes: [{ level: '9' as '0' }] },
      image: { url: 5 as unknown as string },
    },
    operationHistory: { ...recordOf(state).operationHistory, inspect: { start: 'yesterday', end: null } },
  });

  test('lets the run begin anew; what it shows again is left out, and a condition names it', async () => {
    const host = await scene.createHost('forged');
    const ledger = createLedger();
    await publishAt(NINE, viewOf(host, 'inspecting'), ledger);
    const status = forgedStatus('available');
    expect(await publishAt(NINE, viewOf(host, 'available', { revision: 2, shown: { status } }), ledger)).toEqual({
      kind: 'behind',
    });
    expect(await statusOf(host)).toMatchObject({ provisioning: { state: 'inspecting' } });
    const events = await eventsOf(scene, 'forged');
    expect(events).toHaveLength(2);
    for (const reason of ['WriteRefused', 'WorkflowBegunAnew'])
      expect(events).toContainEqual(expect.objectContaining({ type: 'Warning', reason }));

    Object.assign(ledger.of(host.metadata.uid ?? ''), { anew: undefined });
    expect(await publishAt(NINE, viewOf(host, 'available', { revision: 3, shown: { status } }), ledger)).toEqual(
      PUBLISHED,
    );
    const shown = await statusOf(host);
    expect(shown).toMatchObject({
      operationalStatus: 'OK',
      provisioning: { state: 'available', image: { url: '' } },
    });
    expect(shown?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'WriteRefused',
        message: expect.stringContaining('status.operationalStatus: Unsupported value: "forged"') as unknown,
      }),
    );

    await publishAt(TEN, viewOf(host, 'available', { revision: 4 }), ledger);
    expect((await statusOf(host))?.conditions?.map(({ type }) => type)).not.toContain('WriteRefused');
  });

  test('of a host that has none yet is written without them as far as that is possible', async () => {
    const host = await scene.createHost('forged-first');
    const ledger = createLedger();
    ledger.of(host.metadata.uid ?? '').invalidAt = NINE;
    const { operationHistory } = forgedStatus('available');
    const status = { ...recordOf('available'), operationHistory };
    expect(await publishAt(NINE, viewOf(host, 'available', { shown: { status } }), ledger)).toEqual(PUBLISHED);
    expect(await statusOf(host)).toMatchObject({ provisioning: { state: 'available' } });
  });

  test('because a message is too long has the beginning of the message', async () => {
    const host = await scene.createHost('forged-long');
    const view = viewOf(host, 'available');
    const conditions = view.shown.conditions?.map((each) =>
      each.type === 'Ready' ? { ...each, message: '𝕏'.repeat(40_000) } : each,
    );
    expect(await publishAt(NINE, { ...view, shown: { ...view.shown, conditions: conditions ?? [] } })).toEqual(
      PUBLISHED,
    );
    const ready = (await statusOf(host))?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toMatch(/^𝕏{16000}.*…$/u);
  });
});
