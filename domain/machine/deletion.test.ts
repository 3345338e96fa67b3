import { describe, expect, test } from 'vitest';
import {
  AT,
  absorb,
  aHostFact,
  aMachineOnHost,
  aMachineSnapshot,
  anOwner,
  anOwnHost,
  answered,
  condition,
  failed,
  IMAGE,
  legacyCondition,
  look,
  settled,
} from '../../test/builders/machine.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import { show } from './report/show.ts';

const deletionTimestamp = '2026-01-02T00:00:00Z';
const deleted = (change: Partial<MachineSnapshot> = {}): MachineSnapshot =>
  aMachineOnHost({ deletionTimestamp, ...change });
const boot = { userData: { name: 'boot', namespace: 'metal' }, conditions: [], legacyConditions: [] };
const { userData: _, ...plainHost } = anOwnHost();
/** The host after everything of the machine was removed from it. */
const cleared = { ...plainHost, hasImage: false, online: false };
const CLUSTER = { name: 'test1', namespace: 'metal', paused: false, deleting: false, infrastructureReady: true };

describe('a machine that is deleted', () => {
  test('goes at once when it has no host', () => {
    const { memory, step } = look(aMachineSnapshot({ deletionTimestamp }));
    expect(step).toEqual({ kind: 'gone' });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('False Deleting');
    expect(legacyCondition(memory, 'KubernetesNodeReady')).toBe('False Info Deleting');
  });
  test('is deleted at once when its host is gone, or has another consumer or none', () => {
    expect(look(aMachineSnapshot({ deletionTimestamp, hostAnnotation: 'metal/host-1' })).step.kind).toBe('gone');
    expect(look(deleted({ host: aHostFact() })).step.kind).toBe('gone');
    expect(look(deleted({ host: anOwnHost({ consumer: { kind: 'Server', name: 'x' } }) })).step.kind).toBe('gone');
  });
  test('leaves the host that runs it alone when this has lost its consumer: whoever removed it has kept the host', () => {
    const { consumer: __, ...lost } = anOwnHost();
    expect(look(deleted({ host: lost })).step).toEqual({ kind: 'gone' });
  });
  test('goes at once when it never had a finalizer', () => {
    expect(look(aMachineSnapshot({ deletionTimestamp, hasFinalizer: false })).step.kind).toBe('gone');
  });
  test('releases its data first', () => {
    const asked = look(deleted({ claim: { hasFinalizer: true, deleting: false } }));
    expect(asked.step).toMatchObject({ action: { name: 'let data go', order: { namespace: 'metal', name: 'm3m-1' } } });
    const on = answered(asked, { kind: 'claim', claim: { hasFinalizer: false, deleting: true } });
    expect(on.step).toMatchObject({ action: { name: 'deprovision host' } });
    expect(answered(asked, { kind: 'claim', claim: null }).step).toMatchObject({
      action: { name: 'deprovision host' },
    });
  });
  test('releases data that is being deleted already, and data that only waits for its end', () => {
    expect(look(deleted({ claim: { hasFinalizer: true, deleting: true } })).step).toMatchObject({
      action: { name: 'let data go' },
    });
    expect(look(deleted({ claim: { hasFinalizer: false, deleting: true } })).step).toMatchObject({
      action: { name: 'deprovision host' },
    });
  });
  test('shows that its data could not be released', () => {
    const { memory } = failed(look(deleted({ claim: { hasFinalizer: true, deleting: false } })), 'refused');
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False DisassociateM3MetaDataFailed: failed to dissociate Metadata: refused',
    );
    expect(legacyCondition(memory, 'KubernetesNodeReady')).toBe('False Warning DisassociateM3MetaDataFailed: refused');
  });
  test('forgets its data, but not the Secrets that its user names', () => {
    const status = {
      ...boot,
      metaData: { name: 'm' },
      networkData: { name: 'n' },
      renderedData: { name: 'd', namespace: 'metal' },
    };
    const { memory } = look(deleted({ status, spec: { image: IMAGE, networkData: { name: 'n' } } }));
    expect(memory.record).not.toHaveProperty('metaData');
    expect(memory.record).not.toHaveProperty('renderedData');
    expect(memory.record.networkData).toEqual({ name: 'n' });
  });
});

describe('the host of a machine that is deleted', () => {
  const change = (snapshot: Partial<MachineSnapshot>): unknown => {
    const { step } = look(deleted({ status: boot, ...snapshot }));
    return step.kind === 'act' && step.action.name === 'deprovision host' ? step.action.order.change : step;
  };
  test('is to be deprovisioned and off', () => {
    const host = anOwnHost({ hasCustomDeploy: true, metaData: { name: 'm' }, networkData: { name: 'n' } });
    expect(change({ host })).toEqual({
      image: null,
      customDeploy: null,
      userData: null,
      metaData: null,
      networkData: null,
      online: false,
    });
  });
  test('keeps user data that the machine did not give it', () => {
    expect(change({ status: { conditions: [], legacyConditions: [] } })).toEqual({ image: null, online: false });
  });
  test('stays on where it is never switched off, or is cleaned at once', () => {
    expect(change({ host: anOwnHost({ disablePowerOff: true }) })).not.toHaveProperty('online');
    expect(change({ host: anOwnHost({ disablePowerOff: true, online: false }) })).toMatchObject({ online: true });
    const settings = { providerIdFormat: 'names', fastTrack: true } as const;
    expect(change({ settings })).not.toHaveProperty('online');
    expect(change({ settings, host: anOwnHost({ automatedCleaningMode: 'disabled' }) })).toMatchObject({
      online: false,
    });
  });
  test('is waited for until nothing is on it any more', () => {
    const asked = look(deleted({ status: boot }));
    const { memory, step } = answered(asked, { kind: 'host', host: cleared }, 'deprovision host');
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for host host-1 to be deprovisioned (provisioned)' });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False DeletionFailed: failed to delete Metal3Machine: deprovisioning BareMetalHost',
    );
    expect(legacyCondition(memory, 'KubernetesNodeReady')).toBe(
      'False Warning DeletionFailed: deprovisioning BareMetalHost',
    );
    const broken = { ...cleared, state: 'deprovisioning', errorMessage: 'no power', resourceVersion: '60' };
    expect(settled(absorb(memory, deleted({ host: broken }))).step).toMatchObject({
      reason: 'waiting for host host-1 to be deprovisioned (deprovisioning: no power)',
    });
  });
  test('is waited for in every state in which something may be on it', () => {
    for (const state of [
      'preparing',
      'provisioning',
      'provisioned',
      'deprovisioning',
      'powering off before delete',
      'deleting',
      'odd',
    ]) {
      expect(look(deleted({ host: { ...cleared, state } })).step.kind, state).toBe('wait');
    }
    const external = { ...cleared, state: 'externally provisioned' };
    expect(look(deleted({ host: { ...external, poweredOn: true } })).step.kind).toBe('wait');
    expect(look(deleted({ host: { ...external, poweredOn: false } })).step.kind).toBe('act');
  });
  test('is released in every other state', () => {
    for (const state of ['', 'registering', 'match profile', 'inspecting', 'ready', 'available', 'unmanaged']) {
      expect(look(deleted({ host: { ...cleared, state } })).step).toMatchObject({ action: { name: 'release host' } });
    }
  });
  test('is released with all that decides whether it is reserved for another machine of the same kind', () => {
    const machineSet = { name: 'ms', uid: 'ms-uid' };
    const host = { ...cleared, state: 'available' };
    const { step } = look(deleted({ host, owner: anOwner({ machineSet }) }));
    expect(step).toEqual({
      kind: 'act',
      action: {
        name: 'release host',
        order: {
          host: { namespace: 'metal', name: 'host-1', uid: 'host-uid-1' },
          machine: { namespace: 'metal', name: 'm3m-1' },
          clusterName: 'test1',
          reuse: { cluster: { namespace: 'metal', name: 'test1' }, machineSet },
        },
      },
    });
    const controlPlane = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      name: 'kcp',
    };
    expect(look(deleted({ host, owner: anOwner({ controlPlane }) })).step).toMatchObject({
      action: { order: { reuse: { controlPlane } } },
    });
  });
  test('is not reserved when its Cluster is deleted or being deleted', () => {
    const host = { ...cleared, state: 'available' };
    const going = look(deleted({ host, cluster: { ...CLUSTER, deleting: true } })).step;
    expect(going).toMatchObject({ action: { name: 'release host' } });
    expect(going).not.toHaveProperty('action.order.reuse');
    const { cluster: __, ...gone } = deleted({ host });
    expect(look(gone).step).not.toHaveProperty('action.order.reuse');
  });
  test("removes the machine's finalizer when the host is released", () => {
    const asked = look(deleted({ host: { ...cleared, state: 'available' } }));
    expect(answered(asked, { kind: 'host', host: aHostFact() }).step.kind).toBe('gone');
    expect(answered(asked, { kind: 'host', host: null }).step.kind).toBe('gone');
    expect(answered(asked, { kind: 'taken', by: { kind: 'Server', name: 'x' } }).step.kind).toBe('gone');
    expect(answered(asked, { kind: 'taken', by: null }).step.kind).toBe('gone');
  });
  test('is released again when etcd was restored to a time before its release', () => {
    const before = deleted({ host: { ...cleared, state: 'available' }, versionsSince: 1 });
    const released = answered(look(before), { kind: 'host', host: aHostFact({ resourceVersion: '60' }) });
    const late = settled(absorb(released.memory, before));
    expect(late.step.kind).toBe('gone');
    const restored = settled(absorb(released.memory, { ...before, versionsSince: 2 }));
    expect(restored.step).toMatchObject({ action: { name: 'release host' } });
  });
  test('that is deleted during its release lets the deletion of the machine continue', () => {
    expect(answered(look(deleted({ status: boot })), { kind: 'host', host: null }).step.kind).toBe('gone');
  });
  test('that can not be released is shown, and tried again', () => {
    const { memory, step } = failed(look(deleted({ host: { ...cleared, state: 'available' } })), 'refused');
    expect(step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False DeletionFailed: failed to delete Metal3Machine: refused',
    );
  });
  test('is released although its machine is deleted while it is being deployed', () => {
    const host = anOwnHost({ state: 'provisioning' });
    expect(look(deleted({ host })).step).toMatchObject({ action: { name: 'deprovision host' } });
  });
  test('is known by its consumer when the annotation was never written', () => {
    const { hostAnnotation: __, ...unnamed } = deleted();
    const { memory, step } = look(unnamed);
    expect(step).toMatchObject({ action: { name: 'deprovision host' } });
    expect(show(memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
  });
});
