import { describe, expect, test } from 'vitest';
import {
  AT,
  absorb,
  aMachineOnHost,
  aMachineSnapshot,
  anOwnHost,
  answered,
  begin,
  CONSUMER,
  condition,
  failed,
  IMAGE,
  look,
  settled,
} from '../../test/builders/machine.ts';
import type { HostFacts } from './choose-host/host-facts.ts';
import type { MachineMemory } from './memory/memory.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import type { MachineAction } from './memory/step.ts';
import { machineEntity } from './next-step.ts';
import { show } from './report/show.ts';
import { detailsOf, summaryOf } from './report/words.ts';

describe('an action that fails', () => {
  test('is tried again after a minute, then twice as long each time, an hour at most', () => {
    let now = AT;
    let current = look(aMachineSnapshot());
    const waits: number[] = [];
    for (let count = 0; count < 8; count++) {
      if (current.step.kind !== 'act') throw new Error(JSON.stringify(current.step));
      const outcome = { kind: 'failed', message: 'no' } as const;
      const memory = machineEntity.record(current.memory, current.step.action, outcome, {
        now,
        dice: 0,
        before: current.memory,
      });
      const waiting = settled(memory, { now });
      if (waiting.step.kind !== 'wait' || waiting.step.until === undefined) throw new Error('does not wait');
      waits.push((waiting.step.until - now) / 60_000);
      now = waiting.step.until;
      current = settled(waiting.memory, { now });
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
  test('is spread over the last half of that time', () => {
    const { memory, step } = look(aMachineSnapshot());
    if (step.kind !== 'act') throw new Error('does nothing');
    const outcome = { kind: 'failed', message: 'no' } as const;
    const { trouble } = machineEntity.record(memory, step.action, outcome, { now: AT, dice: 0.5, before: memory });
    expect(trouble?.until).toBe(AT + 45_000);
  });
  test('is tried at once when something changes', () => {
    const { memory } = failed(look(aMachineSnapshot()), 'no');
    expect(settled(absorb(memory, aMachineSnapshot({ versionsSince: 2 }))).step.kind).toBe('wait');
    expect(settled(absorb(memory, aMachineSnapshot({ resourceVersion: '101' }))).step.kind).toBe('wait');
    expect(settled(absorb(memory, aMachineSnapshot({ labels: { a: 'b' } }))).step.kind).toBe('act');
  });
});

describe('a host that lost its consumer, and may not be given back', () => {
  const { consumer: _, ...lost } = anOwnHost();
  const refused = { kind: 'taken', by: null, why: 'is in quarantine' } as const;

  test('is asked for again after a minute, then twice as long each time, and the machine says why', () => {
    let current = look(aMachineOnHost({ host: lost }));
    let now = AT;
    for (const minutes of [1, 2, 4]) {
      const { step, memory } = current;
      if (step.kind !== 'act') throw new Error(JSON.stringify(step));
      const outcome = { kind: 'done', answer: refused } as const;
      const told = machineEntity.record(memory, step.action, outcome, { now, dice: 0, before: memory });
      const waiting = settled(told, { now });
      expect(waiting.step).toMatchObject({ kind: 'wait', until: now + minutes * 60_000 });
      const shown = show(waiting.memory).conditions?.find(({ type }) => type === 'AssociateBareMetalHost');
      expect(shown?.message).toContain('BareMetalHost host-1 is in quarantine');
      now += minutes * 60_000;
      current = settled(waiting.memory, { now });
    }
  });

  test('nor taken from a Cluster is asked for again after a minute, and the machine names the Cluster', () => {
    const by = { kind: 'Cluster', namespace: 'metal', name: 'test1' };
    const kept = aMachineOnHost({ host: anOwnHost({ consumer: by }) });
    const { step, memory } = answered(look(kept), { kind: 'taken', by }, 'associate');
    expect(step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    expect(condition(memory, 'AssociateBareMetalHost')).toContain(
      'BareMetalHost host-1 is taken by Cluster metal/test1',
    );
  });

  test('says so in the condition Ready of the machine', () => {
    const { memory } = answered(look(aMachineOnHost({ host: lost })), refused);
    expect(condition(memory, 'Ready')).toContain(
      '* AssociateBareMetalHost: failed to associate the Metal3Machine to a BareMetalHost: ' +
        'BareMetalHost host-1 is in quarantine',
    );
  });

  test('is claimed again at once when it changes', () => {
    const waiting = answered(look(aMachineOnHost({ host: lost })), refused);
    expect(waiting.step.kind).toBe('wait');
    const changed = aMachineOnHost({ host: { ...lost, resourceVersion: '9', labels: { a: 'b' } } });
    expect(settled(absorb(waiting.memory, changed)).step).toMatchObject({ action: { name: 'associate' } });
  });
});

test('a host that loses its consumer again, before its machine knows that it was given back, is claimed again', () => {
  const { consumer: _, ...lost } = anOwnHost({ resourceVersion: '50' });
  const { memory: before, step } = look(aMachineOnHost({ host: lost }));
  if (step.kind !== 'act') throw new Error(JSON.stringify(step));
  const overtaken = absorb(
    before,
    aMachineOnHost({ host: { ...lost, resourceVersion: '52', heldBack: 'in quarantine' } }),
  );
  const answer = { kind: 'associated', host: anOwnHost({ resourceVersion: '51' }), viaReuse: false } as const;
  const known = machineEntity.record(overtaken, step.action, { kind: 'done', answer }, { now: AT, dice: 0, before });
  expect(settled(known).step).toMatchObject({ action: { name: 'associate' } });
});

describe('an answer about a host that a snapshot has overtaken', () => {
  const deleting = { deletionTimestamp: '2026-01-01T01:00:00Z' };
  const action = { name: 'deprovision host', order: {} } as unknown as MachineAction;
  const answeredAfter = (host: HostFacts | undefined, change: Partial<MachineSnapshot> = {}): MachineMemory => {
    const own = anOwnHost({ resourceVersion: '50', state: 'deleting', deleting: true });
    const before = begin(aMachineSnapshot({ ...deleting, host: own }));
    const { host: _, ...gone } = aMachineSnapshot({ ...deleting, resourceVersion: '101', ...change });
    const overtaken = absorb(before, host === undefined ? gone : { ...gone, host });
    const answer = { kind: 'host', host: { ...own, resourceVersion: '51' } } as const;
    return machineEntity.record(overtaken, action, { kind: 'done', answer }, { now: AT, dice: 0, before });
  };
  test('brings no host back that is gone: the machine leaves', () => {
    const memory = answeredAfter(undefined);
    expect(memory.seen.host).toBeUndefined();
    expect(settled(memory).step.kind).toBe('gone');
  });
  test('does not replace a newer version, and counts when it is newer itself', () => {
    const seen = (resourceVersion: string) => anOwnHost({ resourceVersion, state: 'available' });
    expect(answeredAfter(seen('52')).seen.host).toMatchObject({ resourceVersion: '52', state: 'available' });
    expect(answeredAfter(seen('9')).seen.host?.resourceVersion).toBe('51');
  });
  test('says nothing about a host of an etcd that was restored meanwhile', () => {
    const restored = anOwnHost({ resourceVersion: '40', state: 'available' });
    expect(answeredAfter(restored, { versionsSince: 2 }).seen.host).toMatchObject({ resourceVersion: '40' });
  });
  test('of the same name says nothing about its successor', () => {
    expect(answeredAfter({ ...anOwnHost(), uid: 'another' }).seen.host?.uid).toBe('another');
  });
});

test('what a policy says against labels of the host is shown until the machine is gone', () => {
  const { memory, step } = look(aMachineSnapshot());
  if (step.kind !== 'act') throw new Error('does nothing');
  const refused = 'labels are our business';
  const associated = { kind: 'associated', host: anOwnHost({ labels: {} }), viaReuse: false, refused } as const;
  const ending = { now: AT, dice: 0, before: memory };
  const known = machineEntity.record(memory, step.action, { kind: 'done', answer: associated }, ending);
  const condition = { type: 'WriteRefused', status: 'True', reason: 'Forbidden', message: refused };
  expect(show(known).conditions).toContainEqual(condition);
  const host = { kind: 'host', host: anOwnHost({ labels: {} }) } as const;
  const later = machineEntity.record(known, step.action, { kind: 'done', answer: host }, ending);
  expect(show(later).conditions).toContainEqual(condition);
  expect(show(memory).conditions?.map(({ type }) => type)).not.toContain('WriteRefused');
});

test('an action that was given up changes nothing', () => {
  const { memory, step } = look(aMachineSnapshot());
  if (step.kind !== 'act') throw new Error('does nothing');
  expect(machineEntity.record(memory, step.action, { kind: 'cancelled' }, { now: AT, dice: 0, before: memory })).toBe(
    memory,
  );
});

test('what we wrote to a host ourselves is not undone by what was seen of it before', () => {
  const { memory } = look(aMachineOnHost({ host: anOwnHost({ resourceVersion: '99' }) }));
  const older = absorb(memory, aMachineOnHost({ host: anOwnHost({ resourceVersion: '98', online: false }) }));
  expect(older.seen.host).toMatchObject({ resourceVersion: '99', online: true });
  const newer = absorb(memory, aMachineOnHost({ host: anOwnHost({ resourceVersion: '100', online: false }) }));
  expect(newer.seen.host).toMatchObject({ online: false });
  const another = absorb(memory, aMachineOnHost({ host: anOwnHost({ uid: 'other', resourceVersion: '1' }) }));
  expect(another.seen.host?.uid).toBe('other');
});

test('a workflow that knows nothing begins with what the machine shows', () => {
  const { memory } = look(aMachineOnHost());
  const shown = show(memory);
  const again = begin(
    aMachineOnHost({
      status: {
        provisioned: true,
        addresses: [{ type: 'InternalIP', address: '1.2.3.4' }],
        failureReason: 'r',
        failureMessage: 'm',
        conditions: [...(shown.conditions ?? []), { type: 'Foreign', status: 'True', reason: 'x', message: '' }],
        legacyConditions: [
          { type: 'AssociateBMH', status: 'False', severity: 'Info', reason: 'R', message: 'M' },
          { type: 'Metal3DataReady', status: 'True' },
        ],
      },
    }),
  );
  expect(show(again).conditions).toEqual(shown.conditions);
  expect(show(again)).toMatchObject({
    status: {
      initialization: { provisioned: true },
      addresses: [{ type: 'InternalIP', address: '1.2.3.4' }],
      deprecated: { v1beta1: { failureReason: 'r', failureMessage: 'm' } },
    },
    legacyConditions: [
      { type: 'Ready', status: 'False', severity: 'Info', reason: 'R', message: 'M' },
      { type: 'AssociateBMH', status: 'False', severity: 'Info', reason: 'R', message: 'M' },
      { type: 'Metal3DataReady', status: 'True' },
    ],
  });
});

test('no more addresses are shown than Cluster API accepts', () => {
  const ips = Array.from({ length: 40 }, (_, index) => `10.0.0.${index}`);
  const { memory } = look(aMachineOnHost({ host: anOwnHost({ ips }) }));
  expect(show(memory).status?.['addresses']).toHaveLength(32);
});

test('the Web UI describes each action and the host of the machine', () => {
  const host = { namespace: 'metal', name: 'host-1', uid: 'u' };
  const machine = { namespace: 'metal', name: 'm3m-1', uid: 'u' };
  const cluster = { namespace: 'metal', name: 'test1' };
  const order = { host, machine };
  const link = {
    cluster,
    host,
    machine,
    providerID: '',
    format: 'names',
    cloudProvider: false,
    labelled: true,
    hostnames: [],
  } as const;
  const claimant = { ...machine, creationTimestamp: '' };
  const associate = { machine: claimant, clusterName: '', criteria: {}, owner: {} };
  expect(
    (
      [
        { name: 'associate', order: associate },
        { name: 'associate', order: { ...associate, host } },
        { name: 'look at last host', order },
        { name: 'block move', order },
        { name: 'pause host', order },
        { name: 'unpause host', order: { ...order, clusterName: 'test1' } },
        { name: 'request data', order: { machine, template: { namespace: 'metal', name: 'tpl' } } },
        { name: 'fill host', order: { ...order, change: {} } },
        { name: 'find node', order: link },
        { name: 'find node', order: link, knownProblem: 'x' },
        { name: 'sync labels', order: { cluster, node: 'n', prefixes: [], labels: {} } },
        { name: 'let data go', order: machine },
        { name: 'deprovision host', order: { ...order, change: {} } },
        { name: 'release host', order: { ...order, clusterName: '' } },
      ] as const
    ).map(summaryOf),
  ).toEqual([
    'Choose a host',
    'Claim host host-1 again',
    'Look whether host host-1 is still that of the machine',
    "Block clusterctl's move until host host-1 is paused",
    'Pause host host-1 with its cluster',
    'Unpause host host-1',
    'Request data from template tpl',
    'Write the desired image to host host-1',
    'Look for the Node',
    'Wait for the Node',
    'Copy labels to Node n',
    'Release the data of the machine',
    'Deprovision host host-1',
    'Release host host-1',
  ]);
  expect(detailsOf(look(aMachineSnapshot()).memory, '')).toBe('**metal/m3m-1** has no host yet');
  expect(detailsOf(look(aMachineOnHost({ spec: { providerID: 'metal3://x' } })).memory, 'waiting')).toBe(
    '**metal/m3m-1** is on host **host-1**: waiting\n\nmetal3://x',
  );
  expect(detailsOf(look(aMachineOnHost()).memory, 'runs on host host-1 as Node a')).toBe(
    '**metal/m3m-1** runs on host **host-1** as Node a',
  );
});

describe('an answer that comes after a snapshot which shows more', () => {
  const after = (
    before: MachineSnapshot,
    name: MachineAction['name'],
    change: Partial<MachineSnapshot>,
    answer: Parameters<typeof answered>[1],
  ): ReturnType<typeof settled> => {
    const { memory, step } = look(before);
    if (step.kind !== 'act' || step.action.name !== name) throw new Error(JSON.stringify(step));
    const later = absorb(memory, { ...before, resourceVersion: '101', ...change });
    const outcome = { kind: 'done', answer } as const;
    return settled(machineEntity.record(later, step.action, outcome, { now: AT, dice: 0, before: memory }));
  };
  const templated = aMachineOnHost({
    host: anOwnHost({ state: 'available', hasImage: false }),
    spec: { image: IMAGE, dataTemplate: { name: 'tpl' } },
  });
  const claim = { deleting: false, hasFinalizer: true } as const;

  test('does not take away the data that were made meanwhile', () => {
    const made = { ...claim, renderedData: { name: 'tpl-0', namespace: 'metal' } };
    const { memory } = after(templated, 'request data', { claim: made }, { kind: 'claim', claim });
    expect(memory.seen.claim).toEqual(made);
    expect(after(templated, 'request data', {}, { kind: 'claim', claim }).memory.seen.claim).toEqual(claim);
  });
  test('does not give a host away that has come back to the machine meanwhile', () => {
    const { consumer: _, ...lost } = anOwnHost();
    const by = { ...CONSUMER, name: 'm3m-2' };
    const again = { host: anOwnHost({ resourceVersion: '60' }) };
    const { memory } = after(aMachineOnHost({ host: lost }), 'associate', again, { kind: 'taken', by });
    expect(memory.seen.host?.consumer).toEqual(CONSUMER);
  });
  test('does not end a search for the Node whose host has another name meanwhile', () => {
    const absent = { kind: 'absent', reason: 'CreateError', message: 'no Node' } as const;
    const renamed = { host: anOwnHost({ hostname: 'node-b', resourceVersion: '60' }) };
    const { step } = after(aMachineOnHost(), 'find node', renamed, { kind: 'node', answer: absent });
    expect(step).toMatchObject({ action: { name: 'find node', order: { host: { name: 'host-1' } } } });
    expect(step).not.toHaveProperty('action.knownProblem');
  });
});
