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
  CONSUMER,
  condition,
  IMAGE,
  legacyCondition,
  look,
  settled,
} from '../../../test/builders/machine.ts';
import type { MachineSnapshot } from '../memory/snapshot.ts';
import { show } from '../report/show.ts';

const NEWS = { bridge: 'b', count: 0 };
const NO_HOST = { kind: 'no host', reason: '3 hosts: 2 taken, 1 not available (provisioning)', news: NEWS } as const;
const searching = (change: Partial<MachineSnapshot> = {}): MachineSnapshot =>
  aMachineSnapshot({ hostNews: NEWS, ...change });
const OLD_CONSUMER = { ...CONSUMER, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
const FAILED = 'failed to associate the Metal3Machine to a BareMetalHost';

describe('a machine without a host', () => {
  test('looks for one that its hostSelector and its failure domain allow', () => {
    const hostSelector = { matchLabels: { rack: '1' } };
    const machineSet = { name: 'workers-1', uid: 'ms-uid' };
    const owner = anOwner({ failureDomain: 'west', machineSet });
    const { step } = look(aMachineSnapshot({ spec: { image: IMAGE, hostSelector }, owner }));
    expect(step).toEqual({
      kind: 'act',
      action: {
        name: 'associate',
        order: {
          machine: {
            namespace: 'metal',
            name: 'm3m-1',
            uid: 'm3m-uid-1',
            creationTimestamp: '2026-01-01T00:00:00Z',
          },
          clusterName: 'test1',
          criteria: { hostSelector, failureDomain: 'west' },
          owner: { machineSet },
        },
      },
    });
  });
  test('that takes one says so, names it in its annotation and fills it', () => {
    const host = aHostFact({
      consumer: CONSUMER,
      labels: { 'cluster.x-k8s.io/cluster-name': 'test1' },
      blocksMove: true,
    });
    const { memory, step } = answered(look(aMachineSnapshot()), { kind: 'associated', host, viaReuse: false });
    expect(show(memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe('True AssociateBareMetalHostSuccess');
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('True');
    expect(step).toMatchObject({ action: { name: 'fill host' } });
  });
  test('that claims one which was reserved for it says so, and keeps saying it', () => {
    const host = anOwnHost();
    const taken = answered(look(aMachineSnapshot()), { kind: 'associated', host, viaReuse: true });
    expect(condition(taken.memory, 'AssociateBareMetalHost')).toBe('True AssociateBareMetalHostViaNodeReuseSuccess');
    const { memory } = settled(absorb(taken.memory, aMachineOnHost({ resourceVersion: '101' })));
    expect(condition(memory, 'AssociateBareMetalHost')).toBe('True AssociateBareMetalHostViaNodeReuseSuccess');
  });
  test('does not lose sight of the host that it took before its annotation is seen', () => {
    const taken = answered(look(aMachineSnapshot()), { kind: 'associated', host: anOwnHost(), viaReuse: false });
    const { memory } = settled(absorb(taken.memory, aMachineSnapshot({ resourceVersion: '101', labels: {} })));
    expect(memory.seen.host?.name).toBe('host-1');
    const { host: _, ...gone } = aMachineOnHost({ resourceVersion: '102' });
    expect(settled(absorb(memory, gone)).memory.seen.host).toBeUndefined();
  });
  test('looks for another one when etcd was restored to a time before it took it, and it belongs to another machine now', () => {
    const { memory } = answered(look(aMachineSnapshot({ versionsSince: 1 })), {
      kind: 'associated',
      host: anOwnHost(),
      viaReuse: false,
    });
    expect(show(memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
    const restored = settled(absorb(memory, aMachineSnapshot({ versionsSince: 2 })));
    expect(restored.step).toMatchObject({ action: { name: 'associate' } });
    expect(show(restored.memory).annotations).toBeUndefined();

    const own = aMachineSnapshot({ versionsSince: 2, host: anOwnHost() });
    expect(settled(absorb(memory, own)).step).not.toMatchObject({ action: { name: 'associate' } });
  });
  test('waits when there is none, and says why each kind of host was not taken', () => {
    const { memory, step } = answered(look(searching()), NO_HOST);
    expect(step).toEqual({
      kind: 'wait',
      reason: 'waiting for a host: 3 hosts: 2 taken, 1 not available (provisioning)',
    });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      `False AssociateBareMetalHostFailed: ${FAILED}: no available host found. 3 hosts: 2 taken, 1 not available (provisioning)`,
    );
    expect(legacyCondition(memory, 'AssociateBMH')).toBe(
      'False Error AssociateBMHFailed: no available host found. 3 hosts: 2 taken, 1 not available (provisioning)',
    );
  });
  test('looks again when there may be one, or when anything else about it changes, and not before', () => {
    const { memory } = answered(look(searching()), NO_HOST);
    expect(settled(absorb(memory, searching({ resourceVersion: '101' }))).step.kind).toBe('wait');
    expect(settled(absorb(memory, searching({ hostNews: { ...NEWS, count: 1 } }))).step.kind).toBe('act');
    expect(settled(absorb(memory, searching({ spec: { image: IMAGE, hostSelector: {} } }))).step.kind).toBe('act');
  });
  test('looks again for a bridge that has forgotten that it waits', () => {
    const { memory } = answered(look(searching()), NO_HOST);
    expect(settled(absorb(memory, searching({ hostNews: { bridge: 'c', count: 0 } }))).step.kind).toBe('act');
    expect(answered(look(searching({ hostNews: { bridge: 'c', count: 0 } })), NO_HOST).step.kind).toBe('act');
  });
  test('searches again when it was signalled during a search, and not when the news started the search', () => {
    expect(answered(look(searching({ hostNews: { ...NEWS, count: 1 } })), NO_HOST).step.kind).toBe('act');
    const asked = answered(look(searching()), { ...NO_HOST, news: { ...NEWS, count: 1 } });
    expect(asked.step.kind).toBe('wait');
    expect(settled(absorb(asked.memory, searching({ hostNews: { ...NEWS, count: 1 } }))).step.kind).toBe('wait');
  });
  test('shows what is wrong with its hostSelector', () => {
    const { memory, step } = answered(look(aMachineSnapshot()), {
      kind: 'invalid',
      message: 'operator x is not known',
    });
    expect(step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      `False AssociateBareMetalHostFailed: ${FAILED}: operator x is not known`,
    );
  });
  test('shows neither user data nor a time of its last update before it has a host', () => {
    const waiting = answered(look(searching()), NO_HOST).memory;
    expect(show(waiting).status).not.toHaveProperty('userData');
    expect(show(waiting)).not.toHaveProperty('timed');
    const taken = answered(look(aMachineSnapshot()), { kind: 'associated', host: anOwnHost(), viaReuse: false });
    expect(show(taken.memory)).toMatchObject({
      status: { userData: { name: 'boot' }, addresses: [{}, {}, {}] },
      timed: true,
    });
  });
  test('takes no host as long as its user data is in another namespace', () => {
    const spec = { image: IMAGE, userData: { name: 'x', namespace: 'other' } };
    const { memory, step } = look(aMachineSnapshot({ spec }));
    expect(step.kind).toBe('wait');
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      `False AssociateBareMetalHostFailed: ${FAILED}: cross-namespace secret reference is not allowed for userData (namespace "other" does not match "metal")`,
    );
  });
  test('claims the host that says it is its own, and names it once label and consumer are written', () => {
    const asked = look(aMachineSnapshot({ host: anOwnHost({ consumer: OLD_CONSUMER, labels: {} }) }));
    expect(asked.step).toMatchObject({
      action: { name: 'associate', order: { clusterName: 'test1', host: { name: 'host-1', uid: 'host-uid-1' } } },
    });
    expect(show(asked.memory).annotations).toBeUndefined();
    const { memory, step } = answered(asked, { kind: 'associated', host: anOwnHost(), viaReuse: false });
    expect(show(memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
    expect(step).toMatchObject({ action: { name: 'find node' } });
  });
  test('claims it although its last search found none', () => {
    const { memory } = answered(look(searching()), NO_HOST);
    const { step } = settled({ ...memory, seen: { ...memory.seen, host: anOwnHost() } });
    expect(step).toMatchObject({ action: { name: 'associate', order: { host: { name: 'host-1' } } } });
  });
});

describe('a machine whose host names it in an older version of the API', () => {
  const host = anOwnHost({ consumer: OLD_CONSUMER, resourceVersion: '60' });
  const running = {
    spec: { image: IMAGE, providerID: 'metal3://metal/host-1/m3m-1' },
    owner: anOwner({ nodeRef: 'node-a' }),
    status: { provisioned: true, conditions: [], legacyConditions: [] },
  };
  test.each([
    ['before it is linked to its Node', {}],
    ['after that', running],
  ])('claims it again, %s', (_when, change) => {
    const asked = look(aMachineOnHost({ host, ...change }));
    expect(asked.step).toMatchObject({ action: { name: 'associate', order: { host: { name: 'host-1' } } } });
    const { step } = answered(asked, {
      kind: 'associated',
      host: anOwnHost({ resourceVersion: '61' }),
      viaReuse: false,
    });
    expect(step).not.toMatchObject({ action: { name: 'associate' } });
  });
  test('claims it once for each version of a host on which a policy keeps the old one', () => {
    const kept = answered(look(aMachineOnHost({ host })), { kind: 'associated', host, viaReuse: false });
    expect(kept.step).not.toMatchObject({ action: { name: 'associate' } });
    const later = aMachineOnHost({ host: { ...host, resourceVersion: '62' } });
    expect(settled(absorb(kept.memory, later)).step).toMatchObject({ action: { name: 'associate' } });
  });
  test('does not claim one that is being deleted', () => {
    const { step } = look(aMachineOnHost({ host: { ...host, deleting: true } }));
    expect(step).not.toMatchObject({ action: { name: 'associate' } });
  });
});
