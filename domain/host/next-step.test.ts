import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, NOW } from '../../test/builders/host.ts';
import { next, said } from '../../test/builders/step.ts';
import { withShown } from './memory/memory.ts';
import { begin } from './memory/take-in.ts';
import { nextStep } from './next-step.ts';
import { park } from './outcome/failure.ts';
import { show } from './report/show.ts';

describe('a new host', () => {
  test('is held by its finalizer before anything else is done', () => {
    const begun = nextStep(begin(aSnapshot()), NOW);
    if (begun.kind !== 'become') throw new Error('it should become registering');
    expect(said(nextStep(begun.memory, NOW))).toBe('show');
    expect(show(begun.memory).finalizer).toBe(true);
    expect(said(nextStep(withShown(begun.memory, show(begun.memory)), NOW))).toBe('register');
  });
  test('that is deleted before it was held is gone at once', () => {
    expect(said(nextStep(begin(aSnapshot({ deletionTimestamp: '2026-01-01T00:00:00Z' })), NOW))).toBe('gone');
  });
  test('with BMC details becomes registering', () => {
    expect(next()).toBe('become registering');
  });
  test('without BMC details becomes unmanaged, discovered, and waits for them', () => {
    const { bmcSecret: _, ...snapshot } = aSnapshot();
    const seen = { ...snapshot, spec: { online: true, automatedCleaningMode: 'metadata' as const } };
    const step = nextStep({ ...begin(seen), hasFinalizer: true }, NOW);
    if (step.kind !== 'become') throw new Error('it should become unmanaged');
    expect(step.memory.status).toMatchObject({ operationalStatus: 'discovered', provisioning: { state: 'unmanaged' } });
    expect(step.memory.events).toEqual([
      { id: '1', reason: 'Discovered', message: 'Discovered host with no BMC details' },
    ]);
    expect(nextStep(step.memory, NOW)).toEqual({ kind: 'wait', reason: 'waiting for BMC details in spec.bmc' });
  });
  test('gets its boot mode when it becomes registering', () => {
    const step = nextStep(aHost({ seen: { spec: { bootMode: 'legacy' } } }), NOW);
    expect(step).toMatchObject({ kind: 'become', memory: { status: { provisioning: { bootMode: 'legacy' } } } });
  });
});

describe('an unmanaged host', () => {
  const bmc = { address: '', credentialsName: '' };
  test('is shown as discovered while it waits for BMC details, and registers when it has them', () => {
    expect(next({ state: 'unmanaged', seen: { spec: { bmc } } })).toBe('note');
    expect(next({ state: 'unmanaged', status: { operationalStatus: 'discovered' }, seen: { spec: { bmc } } })).toBe(
      'wait',
    );
    expect(next({ state: 'unmanaged' })).toBe('become registering');
  });
});

describe('a host in a deprecated state', () => {
  test('goes on to be prepared', () => expect(next({ state: 'match profile' })).toBe('become preparing'));
});

describe('a paused host', () => {
  test('does nothing, not even when it is deleted', () => {
    const seen = { annotations: { 'baremetalhost.metal3.io/paused': '' }, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(next({ state: 'available', seen })).toBe('wait');
  });
  test('is not written to either: its status may be on its way to another cluster', () => {
    const seen = { annotations: { 'baremetalhost.metal3.io/paused': '' } };
    expect(nextStep(aHost({ state: 'provisioned', seen }), NOW)).toMatchObject({ kind: 'wait', quiet: true });
  });
});

describe('a host that clusterctl takes away because it lives on in another cluster', () => {
  test('is left as it is, although it is deleted and no longer paused', () => {
    const annotations = { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' };
    const seen = { annotations, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(nextStep(aHost({ state: 'provisioned', seen }), NOW)).toEqual({
      kind: 'wait',
      reason: 'clusterctl has moved it to another cluster',
      quiet: true,
    });
    expect(nextStep(aHost({ state: 'provisioned', seen: { annotations } }), NOW)).not.toMatchObject({ quiet: true });
  });
});

describe('a host at rest', () => {
  test('loses its error and its count of failures once its power is as desired', () => {
    const status = { errorType: 'power management error', errorCount: 2, operationalStatus: 'error' } as const;
    const step = nextStep(aHost({ state: 'available', status }), NOW);
    if (step.kind !== 'note') throw new Error('it should note that all is well');
    expect(step.memory.status).toMatchObject({ errorCount: 0, operationalStatus: 'OK' });
    expect(step.memory.status.errorType).toBeUndefined();
  });
  test('whose power Ironic does not know is left alone', () => {
    expect(next({ state: 'available', node: aNode({ poweredOn: null }), seen: { spec: { online: true } } })).toBe(
      'wait',
    );
    expect(next({ state: 'available', node: null, seen: { spec: { online: true } } })).toBe('wait');
  });
});

describe('a host that can only be helped by a change', () => {
  test('waits without a timer', () => {
    const step = nextStep(park(aHost({ state: 'registering' }), 'registration error', 'no Secret', NOW), NOW);
    expect(step).toEqual({
      kind: 'wait',
      reason: 'waiting for a change after registration error: no Secret',
      cause: 'registration error: no Secret',
    });
  });
});
