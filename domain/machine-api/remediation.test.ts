import { describe, expect, test } from 'vitest';
import { AT, aHostFact } from '../../test/builders/machine.ts';
import {
  actionOf,
  answered,
  aRunningMachine,
  CONSUMER,
  itsHost,
  itsNode,
  look,
  stepOf,
  wordsOf,
} from '../../test/builders/machine-api.ts';
import { machineApiEntity } from './entity.ts';
import type { MachineApiMemory } from './memory.ts';
import type { RemediationSeen } from './snapshot.ts';

const { absorb, begin } = machineApiEntity;
const asked = (change: Partial<RemediationSeen> = {}): RemediationSeen => ({
  isRequested: true,
  isPoweredOff: false,
  hasBackup: false,
  deadline: '',
  mayReplace: true,
  ...change,
});
const OFF = itsHost({ keptOff: true, poweredOn: false });
const GONE = { node: undefined, nodeRef: undefined };
const ON_AGAIN = asked({ isPoweredOff: true, hasBackup: true, deadline: '2026-01-01T00:20:00Z' });

describe('the remediation of a Machine', () => {
  test('reads like a procedure', () => {
    const words: string[] = [];
    let memory = begin(aRunningMachine({ remediation: asked() }));
    const on = (next: MachineApiMemory): void => {
      memory = next;
      words.push(wordsOf(stepOf(memory)));
    };
    on(memory);
    on(answered(memory, { kind: 'host', host: itsHost({ keptOff: true, resourceVersion: '60' }) }));
    const off = itsHost({ keptOff: true, poweredOn: false, resourceVersion: '61' });
    on(absorb(memory, aRunningMachine({ remediation: asked(), host: off })));
    on(answered(memory, { kind: 'done' }));
    on(absorb(memory, aRunningMachine({ ...GONE, remediation: asked({ hasBackup: true }), host: off })));
    on(answered(memory, { kind: 'host', host: itsHost({ poweredOn: false, resourceVersion: '62' }) }));
    const back = { host: itsHost({ resourceVersion: '63' }), node: itsNode({ uid: 'new-uid', providerID: '' }) };
    on(absorb(memory, aRunningMachine({ ...back, remediation: ON_AGAIN })));
    on(answered(memory, { kind: 'done' }));
    expect(words).toEqual([
      'keep host off',
      'wait: remediation: waiting until host host-1 is powered off',
      'take node away',
      'wait: remediation: waiting until Node node-a is deleted',
      'let host on',
      'wait: remediation: waiting until the Node of host host-1 is back',
      'return node',
      'link node',
    ]);
  });

  test('has a deadline that is over when it is further away than any can be, by a clock that was ahead', () => {
    const far = { ...ON_AGAIN, deadline: '2036-01-01T00:00:00Z', mayReplace: true };
    const { name } = actionOf(begin(aRunningMachine({ ...GONE, remediation: far })));
    expect(name).toBe('delete machine');
  });

  test.each([
    ['20 minutes', asked(), '2026-01-01T00:20:00Z'],
    ['what its MachineHealthCheck says', asked({ startupTimeoutMs: 60_000 }), '2026-01-01T00:01:00Z'],
    ['a day at most', asked({ startupTimeoutMs: 9 * 86_400_000 }), '2026-01-02T00:00:00Z'],
    ['a time that is set already', asked({ deadline: '2026-01-01T00:07:00Z' }), '2026-01-01T00:07:00Z'],
  ])('gives the Node %s to come back', (_, remediation, deadline) => {
    const { order } = actionOf(begin(aRunningMachine({ ...GONE, host: OFF, remediation })));
    expect(order).toMatchObject({ deadline });
  });

  const late = AT + 20 * 60_000;
  test.each([
    [
      'waits for the Node until its time is over',
      ON_AGAIN,
      {},
      AT,
      'wait: remediation: waiting until the Node of host host-1 is back',
    ],
    ['then deletes the Machine', ON_AGAIN, {}, late, 'delete machine'],
    [
      'never deletes one without a controller, or of a control plane',
      { ...ON_AGAIN, mayReplace: false },
      {},
      late,
      'wait: remediation: waiting until the Node of host host-1 is back',
    ],
    [
      'never deletes one whose host somebody else provisioned',
      ON_AGAIN,
      { externallyProvisioned: true },
      late,
      'wait: remediation: waiting until the Node of host host-1 is back',
    ],
  ] as const)('%s', (_, remediation, host, now, words) => {
    const memory = begin(aRunningMachine({ ...GONE, host: itsHost(host), remediation }));
    expect(wordsOf(stepOf(memory, null, now))).toBe(words);
  });

  test('waits with a timer only while the Machine may be deleted', () => {
    const stepFor = (remediation: RemediationSeen) => stepOf(begin(aRunningMachine({ ...GONE, remediation })));
    expect(stepFor(ON_AGAIN)).toMatchObject({ until: late });
    expect(stepFor({ ...ON_AGAIN, mayReplace: false })).not.toHaveProperty('until');
  });

  test.each([
    [
      'that is not asked for any more lets its host on',
      { host: OFF, remediation: asked({ isRequested: false, hasBackup: true }) },
      'let host on',
    ],
    ['whose marks somebody removed lets its host on', { host: OFF }, 'let host on'],
    [
      'then gives the Node what it lost',
      { remediation: asked({ isRequested: false, hasBackup: true }) },
      'return node',
    ],
    [
      'waits for that Node',
      { ...GONE, remediation: asked({ isRequested: false, hasBackup: true }) },
      'wait: remediation: waiting until the Node of host host-1 is back',
    ],
    [
      'without anything to give back is over',
      { ...GONE, remediation: asked({ isRequested: false, isPoweredOff: true }) },
      'return node',
    ],
  ])('%s', (_, change, words) => {
    expect(look(aRunningMachine(change))).toBe(words);
  });

  test('of a Machine that is being deleted does not leave its host off', () => {
    const seen = aRunningMachine({ deletionTimestamp: '2026-01-02T00:00:00Z', host: OFF, remediation: asked() });
    const action = actionOf(begin(seen));
    expect(action.name).toBe('let host on');
    expect(action.order).not.toHaveProperty('deadline');
  });

  test.each([
    ['its lifecycle hooks', { hooks: ['backup'] }, 'wait: being deleted: waiting for lifecycle hooks: backup'],
    ['whoever drains its Node', { isDrained: false }, 'wait: being deleted: waiting until its Node is drained'],
    ['the finalizer of its Node', { node: itsNode({ hasLegacyFinalizer: true }), nodeRef: 'node-a' }, 'link node'],
  ])('of a Machine that is being deleted lets its host on before it waits for %s', (_, change, words) => {
    const seen = { ...GONE, deletionTimestamp: '2026-01-02T00:00:00Z', remediation: asked(), ...change };
    const memory = begin(aRunningMachine({ ...seen, host: OFF }));
    expect(wordsOf(stepOf(memory))).toBe('let host on');
    expect(wordsOf(stepOf(answered(memory, { kind: 'host', host: itsHost({ resourceVersion: '60' }) })))).toBe(words);
  });

  test('does not let on the host of another consumer', () => {
    const host = itsHost({ keptOff: true, poweredOn: false, consumer: { ...CONSUMER, name: 'other' } });
    const seen = { ...GONE, deletionTimestamp: '2026-01-02T00:00:00Z', hooks: ['backup'], host };
    expect(look(aRunningMachine(seen))).toBe('wait: being deleted: waiting for lifecycle hooks: backup');
    expect(look(aRunningMachine({ ...seen, authority: { api: 'ClusterAPI' } }))).toMatch(/^wait: left alone/);
  });

  test('does nothing to a host that is not provisioned', () => {
    const host = aHostFact({ consumer: CONSUMER, hasImage: true, state: 'provisioning' });
    const words = 'wait: waiting for host host-1 to be provisioned (provisioning)';
    expect(look(aRunningMachine({ ...GONE, providerID: '', host, remediation: asked() }))).toBe(words);
  });
});
