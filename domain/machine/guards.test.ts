import { describe, expect, test } from 'vitest';
import {
  AT,
  absorb,
  aMachineOnHost,
  aMachineSnapshot,
  anOwner,
  anOwnHost,
  answered,
  condition,
  failed,
  legacyCondition,
  look,
  settled,
} from '../../test/builders/machine.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import { show } from './report/show.ts';

const CLUSTER = { name: 'test1', namespace: 'metal', paused: false, deleting: false, infrastructureReady: true };
const PAUSED = { ...CLUSTER, paused: true };
const without = (key: keyof MachineSnapshot, snapshot: MachineSnapshot = aMachineSnapshot()): MachineSnapshot => {
  const { [key]: _, ...rest } = snapshot;
  return rest as MachineSnapshot;
};
const deleted = { deletionTimestamp: '2026-01-02T00:00:00Z' };

describe('a machine that waits before anything is done for it says for what:', () => {
  test('an owner', () => {
    const { memory, step } = look(without('owner'));
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for Cluster API to set its owner' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      'False WaitingForMetal3MachineOwnerRef: Waiting for Machine Controller to set OwnerRef on Metal3Machine',
    );
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info WaitingForM3MachineOwnerRef');
    expect(show(memory).conditions?.map(({ type }) => type)).not.toContain('Paused');
  });
  test('the owner that is named and is not there', () => {
    expect(look(aMachineSnapshot({ owner: null })).step).toEqual({
      kind: 'wait',
      reason: 'the Machine that owns it does not exist',
    });
  });
  test('its Cluster', () => {
    const status = { failureReason: 'x', failureMessage: 'y', conditions: [], legacyConditions: [] };
    const { memory, step } = look({ ...without('cluster'), status });
    expect(step).toMatchObject({ kind: 'wait', reason: 'its Cluster does not exist, or its Machine does not name it' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      'False WaitingForClusterInfrastructureReady: Machine is missing cluster label or cluster does not exist',
    );
    expect(show(memory).status).not.toHaveProperty('deprecated');
  });
  test('its Cluster, after it has waited for an owner', () => {
    const { memory } = look(without('owner'));
    const later = settled(absorb(memory, without('cluster')));
    expect(show(later.memory).legacyConditions).toEqual([]);
  });
  test("its Cluster's infrastructure", () => {
    const { memory, step } = look(aMachineSnapshot({ cluster: { ...CLUSTER, infrastructureReady: false } }));
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for the infrastructure of Cluster test1 to be ready' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      'False WaitingForClusterInfrastructureReady: Waiting for Metal3Cluster Controller to create cluster infrastructure',
    );
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info WaitingForClusterInfrastructure');
  });
  test('its Metal3Cluster', () => {
    const { memory, step } = look(without('metal3Cluster'));
    expect(step).toEqual({ kind: 'wait', reason: 'the Metal3Cluster of Cluster test1 does not exist' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      'False WaitingforMetal3Cluster: Waiting for Metal3Cluster Controller to create the Metal3Cluster',
    );
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info WaitingforMetal3Cluster');
  });
  test('its finalizer, which it does not have before, and before anything is claimed for it', () => {
    const waiting = look(without('owner', aMachineSnapshot({ hasFinalizer: false })));
    expect(show(waiting.memory)).not.toHaveProperty('finalizer');
    const fresh = look(aMachineSnapshot({ hasFinalizer: false }));
    expect(fresh.step).toEqual({ kind: 'show' });
    expect(show(fresh.memory).finalizer).toBe(true);
    expect(settled(fresh.memory, { shown: show(fresh.memory) }).step.kind).toBe('act');
  });
});

describe('a machine that is paused by its annotation', () => {
  test.each([
    ['without an owner', without('owner')],
    ['whose owner is not found', aMachineSnapshot({ owner: null })],
    ['without a Cluster', without('cluster')],
    ['whose infrastructure is not ready', aMachineSnapshot({ cluster: { ...CLUSTER, infrastructureReady: false } })],
    ['without a Metal3Cluster', without('metal3Cluster')],
  ])('%s shows the pause, and not what it waits for', (_, seen) => {
    const { memory, step } = look({ ...seen, paused: true });
    expect(step).toEqual({ kind: 'wait', reason: 'paused by its annotation' });
    expect(condition(memory, 'Paused')).toBe('True Paused');
    expect(condition(memory, 'AssociateBareMetalHost')).toBe('False Paused');
    expect(show(memory)).not.toHaveProperty('finalizer');
  });
});

describe('the failure domain of a machine', () => {
  test("is its Machine's", () => {
    const { memory } = look(aMachineSnapshot({ owner: anOwner({ failureDomain: 'west' }) }));
    expect(show(memory).spec).toEqual({ failureDomain: 'west' });
  });
  test("is taken away when its Machine has none, and left alone when it is its Machine's", () => {
    const spec = { failureDomain: 'west' };
    expect(show(look(aMachineSnapshot({ spec })).memory).spec).toEqual({ failureDomain: null });
    expect(show(look(aMachineSnapshot({ spec, owner: anOwner(spec) })).memory).spec).toEqual({});
  });
});

describe('the cleaning mode of a machine', () => {
  test('is that of its template, as soon as it has one', () => {
    const template = { paused: false, automatedCleaningMode: 'disabled' } as const;
    const spec = { automatedCleaningMode: 'metadata' } as const;
    expect(show(look(aMachineSnapshot({ spec, template })).memory).spec).toEqual({ automatedCleaningMode: 'disabled' });
    expect(show(look(aMachineSnapshot({ template })).memory).spec).toEqual({ automatedCleaningMode: 'disabled' });
    expect(show(look(aMachineSnapshot({ spec: template, template })).memory).spec).toEqual({});
  });
  test('is its own when the template has none or is paused', () => {
    const spec = { automatedCleaningMode: 'metadata' } as const;
    expect(show(look(aMachineSnapshot({ spec, template: { paused: false } })).memory).spec).toEqual({});
    const template = { paused: true, automatedCleaningMode: 'disabled' } as const;
    expect(show(look(aMachineSnapshot({ spec, template })).memory).spec).toEqual({});
  });
});

describe('a machine with a host', () => {
  test('has clusterctl wait before it moves anything', () => {
    const { step } = look(aMachineOnHost({ host: anOwnHost({ blocksMove: false }) }));
    expect(step).toMatchObject({ kind: 'act', action: { name: 'block move', order: { host: { name: 'host-1' } } } });
  });
  test('goes on without that when it fails', () => {
    const asked = look(aMachineOnHost({ host: anOwnHost({ blocksMove: false, online: false }) }));
    expect(failed(asked, 'no').step).toMatchObject({ action: { name: 'fill host' } });
  });
  test('leaves a host alone that is paused already, or is not its own', () => {
    const paused = anOwnHost({ blocksMove: false, paused: 'by a user' });
    expect(look(aMachineOnHost({ host: paused })).step).not.toMatchObject({ action: { name: 'block move' } });
    const foreign = anOwnHost({ blocksMove: false, consumer: { kind: 'Server', name: 'x' } });
    expect(look(aMachineOnHost({ host: foreign })).step).not.toMatchObject({ action: { name: 'block move' } });
  });
});

describe('a machine whose Cluster is paused', () => {
  test('has its host paused, and then does nothing', () => {
    const asked = look(aMachineOnHost({ cluster: PAUSED }));
    expect(asked.step).toMatchObject({ kind: 'act', action: { name: 'pause host' } });
    const host = anOwnHost({ paused: 'metal3.io/capm3', blocksMove: false });
    const { memory, step } = answered(asked, { kind: 'host', host }, 'pause host');
    expect(step).toEqual({ kind: 'wait', reason: 'Cluster test1 is paused' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe('False Paused');
    expect(condition(memory, 'Paused')).toBe('True Paused');
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info Metal3MachinePaused');
  });
  test('removes the annotation that blocks a move from a host that a user has paused', () => {
    const host = anOwnHost({ paused: 'by a user', blocksMove: true });
    expect(look(aMachineOnHost({ cluster: PAUSED, host })).step).toMatchObject({ action: { name: 'pause host' } });
    const done = anOwnHost({ paused: 'by a user', blocksMove: false });
    expect(look(aMachineOnHost({ cluster: PAUSED, host: done })).step.kind).toBe('wait');
  });
  test('says so in both conditions when its host can not be paused, and tries again', () => {
    const { memory, step } = failed(look(aMachineOnHost({ cluster: PAUSED })), 'refused');
    const words =
      'False BareMetalHostPauseAnnotationSetFailed: Failed to set pause annotation on associated BareMetalHost. Error: refused';
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(words);
    expect(condition(memory, 'Paused')).toBe(words);
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info PauseAnnotationSetFailedReason');
    expect(step).toEqual({
      kind: 'wait',
      reason: 'waiting to try again after: refused',
      cause: 'refused',
      until: AT + 60_000,
    });
    expect(settled(memory, { now: AT + 60_000 }).step).toMatchObject({ action: { name: 'pause host' } });
  });
  test('does nothing to a host that is gone or has another consumer', () => {
    expect(look(without('host', aMachineOnHost({ cluster: PAUSED }))).step.kind).toBe('wait');
    const host = anOwnHost({ consumer: { kind: 'Server', name: 'x' } });
    expect(look(aMachineOnHost({ cluster: PAUSED, host })).step.kind).toBe('wait');
  });
  test('waits with its deletion', () => {
    const host = anOwnHost({ paused: 'metal3.io/capm3', blocksMove: false });
    expect(look(aMachineOnHost({ cluster: PAUSED, host, ...deleted })).step).toEqual({
      kind: 'wait',
      reason: 'Cluster test1 is paused',
    });
  });
  test('does not add a finalizer again that was removed from it', () => {
    expect(show(look(aMachineSnapshot({ cluster: PAUSED, hasFinalizer: false })).memory)).not.toHaveProperty(
      'finalizer',
    );
  });
});

describe('a machine whose Cluster is paused no longer', () => {
  const host = anOwnHost({ paused: 'metal3.io/capm3', blocksMove: false });
  test('ends the pause of its host, and goes on', () => {
    const asked = look(aMachineOnHost({ host }));
    expect(asked.step).toMatchObject({ action: { name: 'unpause host', order: { clusterName: 'test1' } } });
    const { memory, step } = answered(asked, { kind: 'host', host: anOwnHost() });
    expect(condition(memory, 'Paused')).toBe('False NotPaused');
    expect(step).toMatchObject({ action: { name: 'find node' } });
  });
  test('leaves the pause of a user, and that of another cluster', () => {
    expect(look(aMachineOnHost({ host: { ...host, paused: 'by a user' } })).step).toMatchObject({
      action: { name: 'find node' },
    });
    expect(look(aMachineOnHost({ host: { ...host, labels: {} } })).step).toMatchObject({
      action: { name: 'find node' },
    });
  });
  test('ends the pause of a host that lacked the label of the Cluster when it was found, once it is claimed', () => {
    const asked = look(aMachineSnapshot({ host: { ...host, labels: {} } }));
    expect(answered(asked, { kind: 'associated', host, viaReuse: false }, 'associate').step).toMatchObject({
      action: { name: 'unpause host' },
    });
  });
  test('says so in both conditions when that fails', () => {
    const { memory } = failed(look(aMachineOnHost({ host })), 'refused');
    const words =
      'False BareMetalHostPauseAnnotationRemoveFailed: Failed to remove pause annotation on associated BareMetalHost. Error: refused';
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(words);
    expect(condition(memory, 'Paused')).toBe(words);
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info PauseAnnotationRemoveFailed');
  });
});

describe('a machine that is paused by its annotation', () => {
  test('does nothing, and its host is not paused', () => {
    const { memory, step } = look(aMachineOnHost({ paused: true }));
    expect(step).toEqual({ kind: 'wait', reason: 'paused by its annotation' });
    expect(condition(memory, 'Paused')).toBe('True Paused');
  });
  test('waits with its deletion', () => {
    expect(look(aMachineOnHost({ paused: true, ...deleted })).step.kind).toBe('wait');
  });
});

describe('the deletion of a machine', () => {
  test('does not wait for owner, Cluster or Metal3Cluster', () => {
    const host = anOwnHost();
    for (const snapshot of [
      without('owner', aMachineOnHost({ host, ...deleted })),
      aMachineOnHost({ host, owner: null, ...deleted }),
      without('cluster', aMachineOnHost({ host, ...deleted })),
      without('metal3Cluster', aMachineOnHost({ host, ...deleted })),
      aMachineOnHost({ host, cluster: { ...CLUSTER, infrastructureReady: false }, ...deleted }),
    ]) {
      expect(look(snapshot).step).toMatchObject({ action: { name: 'deprovision host' } });
    }
  });
});
