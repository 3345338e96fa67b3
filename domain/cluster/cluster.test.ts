import { describe, expect, test } from 'vitest';
import type { Shown } from '../entity/view.ts';
import { metal3ClusterEntity as entity, type Metal3ClusterMemory } from './cluster.ts';
import type { Metal3ClusterSnapshot } from './snapshot.ts';

const ENDPOINT = { host: '192.168.111.249', port: 6443 };
const snapshot = (change: Partial<Metal3ClusterSnapshot> = {}): Metal3ClusterSnapshot => ({
  namespace: 'metal',
  name: 'test1',
  uid: 'uid-1',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  paused: false,
  managedElsewhere: false,
  hasFinalizer: true,
  spec: { controlPlaneEndpoint: ENDPOINT },
  owner: { name: 'test1', paused: false },
  machines: 0,
  ...change,
});
const without = (key: keyof Metal3ClusterSnapshot, from = snapshot()): Metal3ClusterSnapshot => {
  const { [key]: _, ...rest } = from;
  return rest as Metal3ClusterSnapshot;
};

function settled(from: Metal3ClusterMemory, shown: Shown | null = null) {
  let memory = from;
  for (;;) {
    const step = entity.nextStep(memory, { now: 0, shown });
    if (step.kind !== 'note') return { memory, step, shown: entity.show(memory) };
    memory = step.memory;
  }
}
const look = (seen: Metal3ClusterSnapshot) => settled(entity.begin(seen));
const condition = (shown: Shown, type: string): string | undefined => {
  const found = shown.conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}${found.message && `: ${found.message}`}`;
};

describe('a Metal3Cluster', () => {
  test('with an owner and an endpoint is ready, and shows it in both styles of conditions', () => {
    const failureDomains = [{ name: 'west', controlPlane: true }];
    const { shown, step } = look(snapshot({ spec: { controlPlaneEndpoint: ENDPOINT, failureDomains } }));
    expect(step).toEqual({ kind: 'wait', reason: 'ready: its endpoint is known' });
    expect(shown).toEqual({
      finalizer: true,
      status: { failureDomains, initialization: { provisioned: true } },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
        { type: 'BaremetalInfrastructureReady', status: 'True', reason: 'Ready', message: '' },
        { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' },
      ],
      legacyConditions: [
        { type: 'Ready', status: 'True' },
        { type: 'BaremetalInfrastructureReady', status: 'True' },
      ],
      timed: true,
    });
  });
  test('shows its finalizer before anything else', () => {
    const { memory, step, shown } = look(snapshot({ hasFinalizer: false }));
    expect(step.kind).toBe('show');
    expect(settled(memory, shown).step.kind).toBe('wait');
  });
  test('waits for its owner, without a finalizer, and copies its failure domains meanwhile', () => {
    const spec = { failureDomains: [{ name: 'west' }] };
    const { shown, step } = look(without('owner', snapshot({ hasFinalizer: false, spec })));
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for Cluster API to set its owner' });
    expect(shown).not.toHaveProperty('finalizer');
    expect(shown).toMatchObject({ status: { failureDomains: [{ name: 'west' }] } });
    expect(shown).not.toHaveProperty('timed');
    expect(condition(shown, 'Ready')).toBe(
      'Unknown ReadyUnknown: * BaremetalInfrastructureReady: Condition not yet reported',
    );
    expect(shown.legacyConditions).toEqual([]);
  });
  test('whose owner is not found says so', () => {
    const { shown, step } = look(without('owner', snapshot({ missingOwner: 'test1' })));
    expect(step).toEqual({ kind: 'wait', reason: 'the Cluster that owns it does not exist' });
    expect(shown).toMatchObject({
      status: {
        deprecated: {
          v1beta1: { failureReason: 'InvalidConfiguration', failureMessage: 'Unable to get owner cluster' },
        },
      },
      legacyConditions: [
        { type: 'Ready', severity: 'Error' },
        {
          reason: 'InternalFailureOccured',
          message: 'failed to get Cluster metal/test1: Cluster.cluster.x-k8s.io "test1" not found',
        },
      ],
    });
  });
  test('without host or port says which is missing, and is ready once both exist', () => {
    const { memory, shown, step } = look(snapshot({ spec: {} }));
    const words =
      'Invalid Metal3Cluster provided: missing fields from Spec: [ControlPlaneEndpoint.Host ControlPlaneEndpoint.Port]';
    expect(step).toEqual({ kind: 'wait', reason: 'Invalid Metal3Cluster provided' });
    expect(condition(shown, 'BaremetalInfrastructureReady')).toBe(`False InvalidConfiguration: ${words}`);
    expect(condition(shown, 'Ready')).toBe(`False NotReady: * BaremetalInfrastructureReady: ${words}`);
    expect(shown.status).toEqual({
      deprecated: {
        v1beta1: { failureReason: 'InvalidConfiguration', failureMessage: 'Invalid Metal3Cluster provided' },
      },
    });
    const mended = settled(entity.absorb(memory, snapshot({ resourceVersion: '2' })));
    expect(mended.shown.status).toEqual({ initialization: { provisioned: true } });
    const half = look(snapshot({ spec: { controlPlaneEndpoint: { host: 'x' } } }));
    expect(condition(half.shown, 'BaremetalInfrastructureReady')).toContain('[ControlPlaneEndpoint.Port]');
  });
  test('stays provisioned for Cluster API when its endpoint is taken away', () => {
    const { memory } = look(snapshot());
    const { shown } = settled(entity.absorb(memory, snapshot({ spec: {}, resourceVersion: '2' })));
    expect(shown.status).toMatchObject({ initialization: { provisioned: true } });
  });
  test('is left alone while it or its Cluster is paused, and says by what', () => {
    const { shown, step } = look(snapshot({ paused: true, owner: { name: 'test1', paused: true }, spec: {} }));
    const words = 'Cluster spec.paused is set to true, Metal3Cluster has the cluster.x-k8s.io/paused annotation';
    expect(step).toEqual({ kind: 'wait', reason: `paused: ${words}` });
    expect(condition(shown, 'Paused')).toBe(`True Paused: ${words}`);
    expect(condition(shown, 'BaremetalInfrastructureReady')).toBeUndefined();
    expect(look(snapshot({ paused: true, hasFinalizer: false })).shown).not.toHaveProperty('finalizer');
  });
  test.each([
    ['an owner', without('owner', snapshot({ paused: true, hasFinalizer: false }))],
    ['its Cluster', without('owner', snapshot({ paused: true, hasFinalizer: false, missingOwner: 'test1' }))],
  ])('shows its own pause without %s', (_, seen) => {
    const { shown, step } = look(seen);
    expect(step.kind === 'wait' && step.reason).toMatch(/^paused: /);
    expect(condition(shown, 'Paused')).toBe('True Paused: Metal3Cluster has the cluster.x-k8s.io/paused annotation');
    expect(shown).not.toHaveProperty('finalizer');
    expect(shown.status).not.toHaveProperty('deprecated');
  });
  test('that another controller manages is never written to', () => {
    const { shown, step } = look(snapshot({ managedElsewhere: true }));
    expect(step.kind).toBe('wait');
    expect(shown).toEqual({});
  });
  test('goes when it is deleted and no Machine is left', () => {
    const deleted = snapshot({ deletionTimestamp: '2026-01-02T00:00:00Z' });
    expect(look({ ...deleted, machines: 2 }).step).toEqual({
      kind: 'wait',
      reason: 'being deleted: 2 Machines of its Cluster left',
    });
    expect(look({ ...deleted, machines: 1 }).step).toMatchObject({
      reason: 'being deleted: one Machine of its Cluster left',
    });
    expect(look(deleted).step.kind).toBe('gone');
    expect(look(without('owner', deleted)).step.kind).toBe('gone');
    expect(look(without('owner', { ...deleted, missingOwner: 'test1' })).step.kind).toBe('gone');
    expect(look({ ...deleted, paused: true }).step.kind).toBe('wait');
  });
  test('is known again to a workflow that has forgotten it', () => {
    const { shown } = look(snapshot());
    const { conditions = [], legacyConditions = [] } = shown;
    const again = entity.begin(snapshot({ status: { provisioned: true, conditions, legacyConditions } }));
    expect(entity.show(again)).toEqual(shown);
  });
  test('is described in the Web UI, and no action is needed for it', () => {
    const { memory } = look(snapshot());
    expect(entity.detailsOf(memory, 'well')).toBe('**metal/test1**: well');
    expect(entity.detailsOf(memory, '')).toBe('**metal/test1**');
  });
});
