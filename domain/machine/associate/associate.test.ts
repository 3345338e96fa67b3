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
  failed,
  IMAGE,
  legacyCondition,
  look,
  settled,
} from '../../../test/builders/machine.ts';
import type { MachineMemory } from '../memory/memory.ts';
import type { MachineSnapshot } from '../memory/snapshot.ts';
import { machineEntity } from '../next-step.ts';
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
  describe('and meets a bridge that was started again and does not show its host', () => {
    const taken = (): ReturnType<typeof look> =>
      answered(look(aMachineSnapshot({ versionsSince: 1 })), {
        kind: 'associated',
        host: anOwnHost(),
        viaReuse: false,
      });
    const met = (change: Partial<MachineSnapshot> = {}): ReturnType<typeof look> =>
      settled(absorb(taken().memory, aMachineSnapshot({ versionsSince: 2, ...change })));
    const claims = ({ step }: ReturnType<typeof look>): string => {
      if (step.kind !== 'act') return step.kind;
      return step.action.name === 'associate' ? (step.action.order.host?.name ?? 'any host') : step.action.name;
    };

    test('looks at it first, and keeps it when it is still its own', () => {
      expect(show(taken().memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
      const order = { host: { namespace: 'metal', name: 'host-1' }, machine: { namespace: 'metal', name: 'm3m-1' } };
      expect(met().step).toEqual({ kind: 'act', action: { name: 'look at last host', order } });
      expect(show(met().memory).annotations).toBeUndefined();
      expect(claims(answered(met(), { kind: 'host', host: anOwnHost() }))).toBe('host-1');
    });
    test('searches for another one when it belongs to another machine now, or is gone', () => {
      const other = { kind: 'taken', by: { ...CONSUMER, name: 'm3m-2' } } as const;
      expect(claims(answered(met(), other))).toBe('any host');
      expect(claims(answered(met(), { kind: 'taken', by: null }))).toBe('any host');
      expect(claims(answered(met(), { kind: 'host', host: null }))).toBe('any host');
    });
    test('looks again when it could not, and when the bridge is started again meanwhile', () => {
      expect(failed(met(), 'no answer').step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
      const { memory, step } = met();
      if (step.kind !== 'act') throw new Error(step.kind);
      const later = absorb(memory, aMachineSnapshot({ versionsSince: 3 }));
      const outcome = { kind: 'done', answer: { kind: 'host', host: anOwnHost() } } as const;
      const after = settled(machineEntity.record(later, step.action, outcome, { now: AT, dice: 0, before: memory }));
      expect(claims(after)).toBe('look at last host');
    });
    test('looks at it also when the claim is answered after that, and lets it go when the machine is deleted', () => {
      const { memory, step } = look(aMachineSnapshot({ versionsSince: 1 }));
      if (step.kind !== 'act') throw new Error(step.kind);
      const outcome = { kind: 'done', answer: { kind: 'associated', host: anOwnHost(), viaReuse: false } } as const;
      const answeredAfter = (change: Partial<MachineSnapshot> = {}): ReturnType<typeof look> => {
        const later = absorb(memory, aMachineSnapshot({ versionsSince: 2, ...change }));
        return settled(machineEntity.record(later, step.action, outcome, { now: AT, dice: 0, before: memory }));
      };
      expect(claims(answeredAfter())).toBe('look at last host');
      expect(claims(answered(answeredAfter(), { kind: 'host', host: anOwnHost() }))).toBe('find node');
      const lost = answered(answeredAfter(), { kind: 'taken', by: null });
      expect([claims(lost), show(lost.memory).annotations]).toEqual(['any host', undefined]);
      const leaving = answeredAfter({ deletionTimestamp: '2026-01-02T00:00:00Z' });
      expect(claims(leaving)).toBe('look at last host');
      expect(claims(answered(leaving, { kind: 'host', host: anOwnHost() }))).toBe('deprovision host');
    });
    test('looks at it once more when its claim fails, and the next snapshot does not show it either', () => {
      const own = failed(answered(met(), { kind: 'host', host: anOwnHost() }), 'no running workflow');
      const news = aMachineSnapshot({ versionsSince: 2, labels: { a: 'b' } });
      expect(claims(settled(absorb(own.memory, news)))).toBe('look at last host');
    });
    test('looks at it when it begins anew, and when the outcome of its claim is unknown', () => {
      const again = (memory: MachineMemory, change: Partial<MachineSnapshot> = {}): ReturnType<typeof look> =>
        settled(machineEntity.begunAgain?.(memory, aMachineSnapshot(change)) ?? memory);
      expect(claims(again(taken().memory))).toBe('look at last host');
      expect(claims(again(again(taken().memory).memory))).toBe('look at last host');
      expect(claims(again(taken().memory, { host: anOwnHost() }))).toBe('host-1');
      const unknown = { kind: 'invalid', message: 'timed out', claimed: 'host-1' } as const;
      expect(answered(look(aMachineSnapshot()), unknown).memory.lastHost).toBe('host-1');
    });
    test('does not look at it when it is shown by then, or when its annotation names another one', () => {
      const shown = { versionsSince: 2, host: anOwnHost() };
      expect(claims(settled(absorb(met().memory, aMachineSnapshot(shown))))).toBe('host-1');
      expect(claims(settled(absorb(taken().memory, aMachineSnapshot(shown))))).toBe('find node');
      const other = { host: anOwnHost({ name: 'host-2', uid: 'u2' }), hostAnnotation: 'metal/host-2' };
      expect(claims(met(other))).toBe('find node');
    });
    test('releases it when the machine is deleted at that time', () => {
      const leaving = met({ deletionTimestamp: '2026-01-02T00:00:00Z' });
      expect(leaving.step).toMatchObject({ action: { name: 'look at last host' } });
      expect(answered(leaving, { kind: 'host', host: anOwnHost() }).step).toMatchObject({
        action: { name: 'deprovision host' },
      });
      expect(answered(leaving, { kind: 'taken', by: null }).step.kind).toBe('gone');
    });
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
