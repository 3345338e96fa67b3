import { describe, expect, test } from 'vitest';
import { type Cleanable, cleaned } from './take-off.ts';

const ALL = { parts: ['hosts', 'machines', 'addresses'], left: [] } as const;
const BACK = { ...ALL, left: ALL.parts } as const;
const HOSTS = 'baremetalhosts.metal3.io';

const anObject = (more: Partial<Cleanable> = {}): Cleanable => ({
  finalizers: ['baremetalhost.metal3.io', 'example.com/inventory'],
  annotations: { 'temper/history': '[]', 'temper.metal3.io/discovered-node': 'a', 'example.com/rack': '7' },
  conditions: ['Ready', 'Reconciling', 'Stalled', 'StepHeld', 'Stuck'].map((type) => ({ type })),
  ...more,
});

describe('an object that Temper leaves', () => {
  test('loses our finalizers, annotations and conditions, and nothing of others', () => {
    expect(cleaned(HOSTS, anObject(), ALL)).toEqual({
      finalizers: ['example.com/inventory'],
      annotations: { 'temper/history': null, 'temper.metal3.io/discovered-node': null },
      conditions: [{ type: 'Ready' }],
    });
  });

  test('keeps the finalizers that the operators of Metal3 use too, when they take over', () => {
    expect(cleaned(HOSTS, anObject(), BACK)).toEqual({
      annotations: { 'temper/history': null, 'temper.metal3.io/discovered-node': null },
      conditions: [{ type: 'Ready' }],
    });
  });

  test('loses a finalizer that Temper alone knows, whoever takes over', () => {
    const machine = anObject({ finalizers: ['actuator.temper.metal3.io', 'machine.machine.openshift.io'] });
    expect(cleaned('machines.machine.openshift.io', machine, BACK)?.finalizers).toEqual([
      'machine.machine.openshift.io',
    ]);
  });

  test('keeps a finalizer of another kind', () => {
    const odd = anObject({ finalizers: ['ippool.ipam.metal3.io'], annotations: {}, conditions: [] });
    expect(cleaned(HOSTS, odd, ALL)).toBeUndefined();
  });

  test('keeps the finalizers of parts that another Temper, or another operator, serves', () => {
    const claim = anObject({
      finalizers: ['ipclaim.ipam.metal3.io', 'metal3data.infrastructure.cluster.x-k8s.io'],
      annotations: {},
      conditions: [],
    });
    expect(cleaned('ipclaims.ipam.metal3.io', claim, { ...ALL, parts: ['hosts', 'machines'] })).toEqual({
      finalizers: ['ipclaim.ipam.metal3.io'],
    });
  });

  test('is not written when there is nothing of Temper on it', () => {
    expect(
      cleaned(HOSTS, anObject({ finalizers: [], annotations: {}, conditions: [{ type: 'Ready' }] }), ALL),
    ).toBeUndefined();
  });
});
