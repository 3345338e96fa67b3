import { describe, expect, test } from 'vitest';
import { AT } from '../../test/builders/machine.ts';
import { type MachineSetAnswer, type MachineSetMemory, machineSetEntity } from './entity.ts';
import type { MachineSetSnapshot, OwnedMachine } from './snapshot.ts';

const { absorb, begin, nextStep, record, show } = machineSetEntity;

const aMachine = (name: string, change: Partial<OwnedMachine> = {}): OwnedMachine => ({
  name,
  uid: `${name}-uid`,
  creationTimestamp: '2026-01-01T00:00:00Z',
  deleting: false,
  marked: false,
  failed: false,
  hasNode: true,
  isReady: true,
  isLabelled: true,
  ...change,
});
const aSet = (change: Partial<MachineSetSnapshot> = {}): MachineSetSnapshot => ({
  namespace: 'metal',
  name: 'workers',
  uid: 'set-uid',
  resourceVersion: '1',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
  isController: true,
  replicas: 2,
  deletePolicy: 'Random',
  machines: [],
  ...change,
});
function said(memory: MachineSetMemory, now = AT): string {
  const step = nextStep(memory, { now, shown: null });
  if (step.kind === 'wait')
    return `wait: ${step.reason}${step.until === undefined ? '' : ` (until ${(step.until - AT) / 1_000} s)`}`;
  if (step.kind !== 'act') return step.kind;
  const { action } = step;
  return action.name === 'make machines'
    ? `make ${action.order.count}`
    : `${action.name.replace(' machine', '')} ${action.order.machine.name}`;
}
function ended(memory: MachineSetMemory, answer: MachineSetAnswer): MachineSetMemory {
  const step = nextStep(memory, { now: AT, shown: null });
  if (step.kind !== 'act') throw new Error(step.kind);
  return record(memory, step.action, { kind: 'done', answer }, { now: AT, dice: 0, before: memory });
}

describe('a MachineSet', () => {
  test('makes what is missing, and waits until it is seen', () => {
    const memory = begin(aSet({ machines: [aMachine('a')] }));
    expect(said(memory)).toBe('make 1');
    const made = ended(memory, { kind: 'made', names: ['b'] });
    expect(said(made)).toBe('wait: has 2 Machines (until 60 s)');
    expect(said(absorb(made, aSet({ machines: [aMachine('a')] })))).toBe('wait: has 2 Machines (until 60 s)');
    expect(said(absorb(made, aSet({ machines: [aMachine('a'), aMachine('b')] })))).toBe('wait: has 2 Machines');
  });

  test('makes another one for one that was never seen', () => {
    const made = ended(begin(aSet({ replicas: 1 })), { kind: 'made', names: ['b'] });
    const step = nextStep(made, { now: AT + 60_000, shown: null });
    expect(said(step.kind === 'note' ? step.memory : made, AT + 60_000)).toBe('make 1');
  });

  test('makes ten at once at most', () => {
    expect(said(begin(aSet({ replicas: 25 })))).toBe('make 10');
  });

  test('replaces one that is being deleted', () => {
    expect(said(begin(aSet({ replicas: 1, machines: [aMachine('a', { deleting: true })] })))).toBe('make 1');
  });

  test('deletes one after the other, and not twice', () => {
    const machines = ['a', 'b', 'c'].map((name) => aMachine(name));
    const memory = begin(aSet({ replicas: 1, machines }));
    expect(said(memory)).toBe('delete a');
    const fewer = ended(memory, { kind: 'deleted' });
    expect(said(fewer)).toBe('delete b');
    expect(said(absorb(fewer, aSet({ replicas: 1, machines })))).toBe('delete b');
    const last = ended(fewer, { kind: 'deleted' });
    expect(said(last)).toBe('wait: has 1 Machine');
    expect(said(absorb(last, aSet({ replicas: 1, machines: [aMachine('c')] })))).toBe('wait: has 1 Machine');
  });

  const older = { creationTimestamp: '2025-01-01T00:00:00Z' };
  test.each([
    ['a marked one first', 'Random', [aMachine('a'), aMachine('b', { marked: true, ...older })], 'b'],
    ['then a failed one', 'Random', [aMachine('a', { hasNode: false }), aMachine('b', { failed: true })], 'b'],
    ['then one without a Node', 'Random', [aMachine('a'), aMachine('b', { hasNode: false, ...older })], 'b'],
    ['then the newest', 'Random', [aMachine('a', older), aMachine('b')], 'b'],
    ['the newest', 'Newest', [aMachine('a', older), aMachine('b')], 'b'],
    ['the oldest', 'Oldest', [aMachine('a', older), aMachine('b')], 'a'],
  ] as const)('deletes %s (%s)', (_, deletePolicy, machines, name) => {
    expect(said(begin(aSet({ replicas: 1, deletePolicy, machines })))).toBe(`delete ${name}`);
  });

  test.each([
    [
      'leaves Machines to OpenShift’s controller',
      { isController: false, orphans: [{ name: 'b', uid: 'b-uid' }] },
      'wait: its replicas are of the user',
    ],
    [
      'makes none with a selector that does not fit',
      { invalid: 'its selector is empty', orphans: [{ name: 'b', uid: 'b-uid' }] },
      'wait: its selector is empty',
    ],
    ['makes none while it is being deleted', { deletionTimestamp: 'now' }, 'wait: being deleted'],
  ])('%s', (_, change, words) => {
    expect(said(begin(aSet(change)))).toBe(words);
  });

  test('adopts what its selector matches and nobody controls before it makes or deletes anything, and once', () => {
    const orphans = ['b', 'c'].map((name) => ({ name, uid: `${name}-uid` }));
    const memory = begin(aSet({ machines: [aMachine('a')], orphans }));
    expect(said(memory)).toBe('adopt b');
    const one = ended(memory, { kind: 'adopted' });
    expect(said(one)).toBe('adopt c');
    const both = ended(one, { kind: 'adopted' });
    expect(said(both)).toBe('wait: waiting to see the Machines that were made or adopted (until 60 s)');
    const seen = absorb(both, aSet({ machines: ['a', 'b', 'c'].map((name) => aMachine(name)) }));
    expect(said(seen)).toBe('delete a');
  });

  test('adopts again what is still nobody’s after a minute', () => {
    const orphans = [{ name: 'b', uid: 'b-uid' }];
    const given = aSet({ replicas: 1, orphans });
    const adopted = ended(begin(given), { kind: 'adopted' });
    expect(said(absorb(adopted, given))).toBe('wait: has 1 Machine (until 60 s)');
    const step = nextStep(adopted, { now: AT + 60_000, shown: null });
    expect(said(step.kind === 'note' ? step.memory : adopted, AT + 60_000)).toBe('adopt b');
  });

  test('tries again after a failure', () => {
    const memory = begin(aSet());
    const step = nextStep(memory, { now: AT, shown: null });
    if (step.kind !== 'act') throw new Error(step.kind);
    const failed = record(
      memory,
      step.action,
      { kind: 'failed', message: 'refused' },
      { now: AT, dice: 0, before: memory },
    );
    expect(said(failed)).toBe('wait: waiting to try again after: refused (until 5 s)');
    expect(said(failed, AT + 5_000)).toBe('make 2');
  });
});

describe('a MachineSet whose authoritative API is Cluster API', () => {
  const authority = { api: 'ClusterAPI' };
  test('is left alone, also when it is scaled to hosts, and shows the condition Paused', () => {
    const memory = begin(aSet({ authority, scale: { replicas: 5 }, orphans: [{ name: 'b', uid: 'b-uid' }] }));
    expect(said(memory)).toBe('wait: left alone: its authoritative API is ClusterAPI');
    expect(show(memory)).toEqual({
      conditions: [
        expect.objectContaining({ type: 'Paused', status: 'True', reason: 'AuthoritativeAPINotMachineAPI' }),
      ],
    });
    expect(show(begin(aSet({ authority, isController: false, scale: { replicas: 5 } })))).toEqual({});
  });
});

describe('what a MachineSet shows', () => {
  test('is how many Machines it has, and how many of them are ready', () => {
    const machines = [aMachine('a'), aMachine('b', { isReady: false, isLabelled: false })];
    expect(show(begin(aSet({ machines })))).toEqual({
      status: {
        replicas: 2,
        fullyLabeledReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        observedGeneration: 3,
      },
    });
  });

  test.each([
    ['are set to the number of hosts', { scale: { replicas: 5 } }, { replicas: 5 }],
    ['stay when they are that number', { scale: { replicas: 2 } }, undefined],
    ['stay when the number is not known', { scale: { suspended: 'x' } }, undefined],
    ['stay without the annotation', {}, undefined],
  ])('its replicas %s', (_, change, spec) => {
    expect(show(begin(aSet(change))).spec).toEqual(spec);
    expect(show(begin(aSet({ ...change, isController: false }))).spec).toEqual(spec);
  });

  test('beside OpenShift’s controller is nothing else', () => {
    expect(show(begin(aSet({ isController: false })))).toEqual({});
  });
});
