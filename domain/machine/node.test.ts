import { describe, expect, test } from 'vitest';
import {
  AT,
  absorb,
  aMachineOnHost,
  anOwner,
  anOwnHost,
  answered,
  condition,
  failed,
  legacyCondition,
  look,
  settled,
} from '../../test/builders/machine.ts';
import type { Outcome } from '../entity/entity.ts';
import type { LinkAnswer } from './memory/link.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import type { MachineAnswer } from './memory/step.ts';
import { machineEntity } from './next-step.ts';
import { show } from './report/show.ts';

const E = 'metal3://metal/host-1/m3m-1';
const ABSENT: LinkAnswer = { kind: 'absent', reason: 'CreateError', message: 'no node yet' };
const LINKED: LinkAnswer = { kind: 'linked', node: 'node-a', providerID: E, write: true, by: 'label' };
const linked = (): ReturnType<typeof look> => answered(look(aMachineOnHost()), { kind: 'node', answer: LINKED });

describe('a machine whose host is provisioned', () => {
  test('has its Node looked for by all that is known of it', () => {
    const { configRef: _, ...plain } = anOwner();
    const { step } = look(
      aMachineOnHost({
        owner: plain,
        settings: { providerIdFormat: 'uid', fastTrack: false },
        metal3Cluster: { name: 'test1', namespace: 'metal', cloudProvider: true, paused: false },
        spec: { providerID: 'metal3://old' },
      }),
    );
    expect(step).toEqual({
      kind: 'act',
      action: {
        name: 'find node',
        order: {
          cluster: { namespace: 'metal', name: 'test1' },
          host: { name: 'host-1', uid: 'host-uid-1' },
          machine: { namespace: 'metal', name: 'm3m-1' },
          providerID: 'metal3://old',
          format: 'uid',
          cloudProvider: true,
          labelled: false,
          hostnames: ['node-a'],
        },
      },
    });
  });
  test('says what is missing while its Node is, and waits until something else is to be said', () => {
    const { memory, step } = answered(look(aMachineOnHost()), { kind: 'node', answer: ABSENT });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('False CreateError: no node yet');
    expect(show(memory).status).not.toHaveProperty('initialization');
    expect(step).toMatchObject({ kind: 'act', action: { name: 'find node', knownProblem: 'no node yet' } });
  });
  test('that has its providerID before its Node is seen counts as provisioned', () => {
    const answer: LinkAnswer = { ...ABSENT, reason: 'UpdateError', providerID: E };
    const { memory, step } = answered(look(aMachineOnHost()), { kind: 'node', answer });
    expect(show(memory)).toMatchObject({ spec: { providerID: E }, status: { initialization: { provisioned: true } } });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('False UpdateError: no node yet');
    expect(step).toMatchObject({ action: { order: { providerID: E } } });
  });
  test('with its Node has a providerID, is provisioned and ready', () => {
    const { memory, step } = linked();
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for Cluster API to find Node node-a' });
    expect(show(memory)).toMatchObject({ spec: { providerID: E }, status: { initialization: { provisioned: true } } });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('True AssociateMetal3MachineMetaDataSuccess');
    expect(condition(memory, 'Metal3DataReady')).toBe('True SecretsSetExternally');
    expect(legacyCondition(memory, 'Metal3DataReady')).toBe('True');
    expect(condition(memory, 'Ready')).toBe('True Ready');
    expect(legacyCondition(memory, 'Ready')).toBe('True');
  });
  test('shows that two Nodes claim to be it, and waits until they do not', () => {
    const answer: LinkAnswer = { kind: 'refused', reason: 'CreateError', message: 'in use by multiple nodes: (a, b)' };
    const { memory, step } = answered(look(aMachineOnHost()), { kind: 'node', answer });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False CreateError: in use by multiple nodes: (a, b)',
    );
    expect(step).toMatchObject({ action: { name: 'find node', knownProblem: 'in use by multiple nodes: (a, b)' } });
  });
  test('shows that a search failed, and searches again', () => {
    const first = failed(look(aMachineOnHost()), 'forbidden');
    expect(condition(first.memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False CreateError: failed to look for the Node: forbidden',
    );
    expect(first.step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    const later = failed(answered(look(aMachineOnHost()), { kind: 'node', answer: ABSENT }), 'forbidden');
    expect(later.step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    expect(settled(later.memory, { now: AT + 60_000 }).step).toMatchObject({ action: { name: 'find node' } });
  });
  test('is searched again when another input would find it', () => {
    const { memory } = answered(look(aMachineOnHost()), { kind: 'node', answer: ABSENT });
    const renamed = absorb(memory, aMachineOnHost({ host: anOwnHost({ hostname: 'node-b', resourceVersion: '60' }) }));
    expect(settled(renamed).step).toMatchObject({ action: { order: { hostnames: ['node-b'] } } });
    expect(settled(renamed).step).not.toHaveProperty('action.knownProblem');
  });
});

describe('waiting for a Node', () => {
  const waiting = answered(look(aMachineOnHost()), { kind: 'node', answer: ABSENT });
  const isWanted = (change: Partial<MachineSnapshot>): boolean | undefined => {
    if (waiting.step.kind !== 'act') throw new Error('not waiting for a Node');
    return machineEntity.stillWanted?.(absorb(waiting.memory, aMachineOnHost(change)), waiting.step.action);
  };
  test('goes on while nothing speaks against it', () => {
    expect(isWanted({ resourceVersion: '101', labels: {} })).toBe(true);
  });
  test('is given up when anything else is to be done: the machine is deleted, paused, on another host, or found by other means', () => {
    const cluster = { name: 'test1', namespace: 'metal', paused: true, deleting: false, infrastructureReady: true };
    const { configRef: _, ...plain } = anOwner();
    for (const change of [
      { deletionTimestamp: '2026-01-02T00:00:00Z' },
      { paused: true },
      { cluster },
      { host: anOwnHost({ uid: 'other' }) },
      { metal3Cluster: { name: 'test1', namespace: 'metal', cloudProvider: true, paused: false } },
      { owner: plain },
      { host: anOwnHost({ online: false, resourceVersion: '60' }) },
      { template: { paused: false, automatedCleaningMode: 'disabled' } as const },
    ]) {
      expect(isWanted(change), JSON.stringify(change)).toBe(false);
    }
  });
  test('is the only thing that is given up', () => {
    const asked = look(aMachineOnHost());
    if (asked.step.kind !== 'act') throw new Error('not looking');
    const gone = absorb(asked.memory, aMachineOnHost({ deletionTimestamp: '2026-01-02T00:00:00Z' }));
    expect(machineEntity.stillWanted?.(gone, asked.step.action)).toBe(true);
  });
});

describe('a Node that Cluster API has not found yet', () => {
  const MINUTE = 60_000;
  const AGAIN: MachineAnswer = { kind: 'node', answer: LINKED, again: true };
  const waiting = answered(look(aMachineOnHost()), AGAIN);
  type Known = typeof waiting;
  const due = ({ memory, step }: Known): Known & { readonly now: number } => {
    if (step.kind !== 'wait' || step.until === undefined) throw new Error('waits without an end');
    return { ...settled(memory, { now: step.until }), now: step.until };
  };
  const lookAgain = (known: Known, outcome: Outcome<MachineAnswer>): Known => {
    const { memory, step, now } = due(known);
    if (step.kind !== 'act') throw new Error(`not acting but: ${JSON.stringify(step)}`);
    return settled(machineEntity.record(memory, step.action, outcome, { now, dice: 0, before: memory }), { now });
  };

  test('is looked for again by the providerID that it was given', () => {
    expect(waiting.step).toEqual({
      kind: 'wait',
      reason: 'waiting for Cluster API to find Node node-a',
      until: AT + MINUTE,
    });
    expect(due(waiting).step).toMatchObject({ action: { name: 'find node', order: { providerID: E } } });
    expect(due(waiting).step).not.toHaveProperty('action.knownProblem');
  });
  test('is looked for ever more seldom, every ten minutes in the end', () => {
    const gaps: number[] = [];
    let known = waiting;
    for (
      let now = AT;
      gaps.length < 6;
      now = due(known).now, known = lookAgain(known, { kind: 'done', answer: AGAIN })
    ) {
      gaps.push((due(known).now - now) / MINUTE);
    }
    expect(gaps).toEqual([1, 2, 4, 8, 10, 10]);
  });
  test('is waited for again, and given its providerID, when it is gone', () => {
    const gone = lookAgain(waiting, { kind: 'done', answer: { kind: 'node', answer: ABSENT } });
    expect(gone.step).toMatchObject({
      action: { name: 'find node', knownProblem: 'no node yet', order: { providerID: E } },
    });
    expect(condition(gone.memory, 'AssociateMetal3MachineMetaData')).toBe('False CreateError: no node yet');
    expect(show(gone.memory)).toMatchObject({
      spec: { providerID: E },
      status: { initialization: { provisioned: true } },
    });
    const back = answered(gone, AGAIN);
    expect(condition(back.memory, 'AssociateMetal3MachineMetaData')).toBe('True AssociateMetal3MachineMetaDataSuccess');
    expect(back.step).toMatchObject({ kind: 'wait', until: AT + MINUTE });
  });
  test('is reported when the search failed', () => {
    const { memory, step } = lookAgain(waiting, { kind: 'failed', message: 'forbidden' });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toContain('failed to look for the Node: forbidden');
    expect(step).toMatchObject({ kind: 'wait', until: AT + 2 * MINUTE });
  });
  test('is not searched again once it is found', () => {
    const found = absorb(
      waiting.memory,
      aMachineOnHost({ spec: { providerID: E }, owner: anOwner({ nodeRef: 'node-a' }) }),
    );
    expect(settled(found).step).toEqual({ kind: 'wait', reason: 'runs on host host-1 as Node node-a' });
  });
});

describe('a machine whose Node Cluster API has found', () => {
  const running = (change: Partial<MachineSnapshot> = {}): MachineSnapshot =>
    aMachineOnHost({
      spec: { providerID: E },
      owner: anOwner({ nodeRef: 'node-a' }),
      status: { provisioned: true, conditions: [], legacyConditions: [] },
      ...change,
    });
  test('is not searched again, even without memory, and needs no bootstrap data', () => {
    const { memory, step } = look(running({ owner: anOwner({ nodeRef: 'node-a', bootstrapReady: false }) }));
    expect(step).toEqual({ kind: 'wait', reason: 'runs on host host-1 as Node node-a' });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('True AssociateMetal3MachineMetaDataSuccess');
  });
  test('keeps its host on', () => {
    expect(look(running({ host: anOwnHost({ online: false }) })).step).toMatchObject({
      action: { name: 'fill host', order: { change: { online: true } } },
    });
  });
  test('reports this failure with another message', () => {
    const { memory } = failed(look(running({ host: anOwnHost({ online: false }) })), 'refused');
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False UpdateError: Failed to update the Metal3Machine: refused',
    );
  });
  test('is looked for again where the status was lost on the way to another cluster', () => {
    const { status: _, ...moved } = running();
    expect(look(moved).step).toMatchObject({ action: { name: 'find node', order: { providerID: E } } });
  });
});

describe('the labels of a host', () => {
  const prefixed = 'rack.example.com,  other.example.com ,,';
  const metal3Cluster = { name: 'test1', namespace: 'metal', cloudProvider: false, paused: false };
  const host = anOwnHost({
    labels: {
      'cluster.x-k8s.io/cluster-name': 'test1',
      'rack.example.com/row': '1',
      'sub.rack.example.com/row': '2',
      row: '3',
    },
  });
  const on = (change: Partial<MachineSnapshot> = {}): ReturnType<typeof look> =>
    look(
      aMachineOnHost({
        spec: { providerID: E },
        owner: anOwner({ nodeRef: 'node-a' }),
        status: { provisioned: true, conditions: [], legacyConditions: [] },
        metal3Cluster: { ...metal3Cluster, labelSyncPrefixes: prefixed },
        host,
        ...change,
      }),
    );
  const sync = {
    cluster: { namespace: 'metal', name: 'test1' },
    node: 'node-a',
    prefixes: ['other.example.com', 'rack.example.com'],
    labels: { 'rack.example.com/row': '1' },
  };
  test('go to its Node when they have exactly one of the prefixes, once', () => {
    const asked = on();
    expect(asked.step).toEqual({ kind: 'act', action: { name: 'sync labels', order: sync } });
    const { memory, step } = answered(asked, { kind: 'done' });
    expect(step.kind).toBe('wait');
    const changed = anOwnHost({ labels: { ...host.labels, 'other.example.com/x': '' }, resourceVersion: '60' });
    const snapshot = aMachineOnHost({ ...memory.seen, host: changed });
    expect(settled(absorb(memory, snapshot)).step).toMatchObject({ action: { name: 'sync labels' } });
  });
  test('are written again each time that another client is seen to have changed them', () => {
    const { memory } = answered(on(), { kind: 'done' });
    const drifted = (nodeDrift: string, before = memory) =>
      settled(absorb(before, aMachineOnHost({ ...before.seen, nodeDrift })));
    const again = drifted('70');
    expect(again.step).toEqual({ kind: 'act', action: { name: 'sync labels', order: sync } });
    const repaired = answered(again, { kind: 'done' }).memory;
    expect(drifted('70', repaired).step.kind).toBe('wait');
    const { nodeDrift: _, ...unseen } = repaired.seen;
    expect(settled(absorb(repaired, aMachineOnHost(unseen))).step.kind).toBe('wait');
    expect(drifted('80', repaired).step).toMatchObject({ action: { name: 'sync labels' } });
  });
  test('are written again when another client changes them while they are being written', () => {
    const { memory, step } = on();
    if (step.kind !== 'act') throw new Error('no labels are written');
    const meanwhile = absorb(memory, aMachineOnHost({ ...memory.seen, nodeDrift: '70' }));
    const done = { kind: 'done', answer: { kind: 'done' } } as const;
    const after = machineEntity.record(meanwhile, step.action, done, { now: AT, dice: 0, before: memory });
    expect(settled(after).step).toMatchObject({ action: { name: 'sync labels' } });
  });
  test('are not written again at once after a failure, whatever happens to the Node', () => {
    const { memory, step } = failed(on(), 'forbidden');
    expect(step).toMatchObject({ kind: 'wait', until: expect.any(Number) as number });
    const seen = aMachineOnHost({ ...memory.seen, nodeDrift: '80' });
    expect(settled(absorb(memory, seen)).step).toEqual(step);
  });
  test('do not go anywhere without prefixes, without a Node, or while host or Metal3Cluster are paused', () => {
    for (const change of [
      { metal3Cluster },
      { host: { ...host, paused: 'by a user', blocksMove: false } },
      { metal3Cluster: { ...metal3Cluster, labelSyncPrefixes: prefixed, paused: true } },
    ]) {
      expect(on(change).step.kind).toBe('wait');
    }
    const unlinked = on({ owner: anOwner() });
    expect(unlinked.step).toMatchObject({ action: { name: 'find node' } });
    expect(answered(unlinked, { kind: 'node', answer: LINKED }).step.kind).toBe('wait');
  });
  test('with an invalid prefix are not copied, and the reason is shown', () => {
    const bad = { ...metal3Cluster, labelSyncPrefixes: 'Not_A.domain' };
    expect(on({ metal3Cluster: bad }).step).toMatchObject({
      reason:
        'runs on host host-1 as Node node-a; labels are not copied: invalid prefix (Not_A.domain) on its Metal3Cluster',
    });
  });
  test('that can not be written are tried again, and nothing else is held up by it', () => {
    const { memory, step } = failed(on(), 'no such Node');
    expect(step).toMatchObject({
      reason: 'runs on host host-1 as Node node-a; labels are not copied: no such Node',
      until: AT + 60_000,
    });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe('True AssociateMetal3MachineMetaDataSuccess');
    expect(settled(memory, { now: AT + 60_000 }).step).toMatchObject({ action: { name: 'sync labels' } });
  });
});
