import { describe, expect, test } from 'vitest';
import { aHost, aSnapshot, IMAGE } from '../../../test/builders/host.ts';
import { aHostFact, CONSUMER } from '../../../test/builders/machine.ts';
import type { HostClaimOrder } from '../../machine/memory/step.ts';
import { claimObstacle, withConsumer } from './consumer.ts';
import { type HostMemory } from './memory.ts';
import { absorb } from './take-in.ts';

const order: HostClaimOrder = {
  host: { namespace: 'metal', name: 'node-1', uid: 'uid-1' },
  machine: { namespace: 'metal', name: 'm3m-1' },
  clusterName: 'test1',
};
const consumed = (consumerRef: object) => aHost({ state: 'available', seen: { spec: { consumerRef } } });
const ofCluster = { kind: 'Cluster', namespace: 'metal', name: 'test1' };

const known = (memory: HostMemory, isVanished = false) => ({ memory, isVanished });

describe('a claim of a host', () => {
  test('without a consumer, or with the machine itself, is accepted', () => {
    expect(claimObstacle(known(aHost({ state: 'available' })), undefined, order)).toBeUndefined();
    expect(claimObstacle(known(consumed(CONSUMER)), undefined, order)).toBeUndefined();
    expect(claimObstacle(known(aHost({ state: 'available' })), order.machine, order)).toBeUndefined();
  });
  test('of a host with another consumer is refused', () => {
    expect(claimObstacle(known(consumed({ ...CONSUMER, name: 'm3m-2' })), undefined, order)).toBe(
      'host node-1 is taken by Metal3Machine metal/m3m-2',
    );
    expect(claimObstacle(known(consumed({})), undefined, order)).toBe('host node-1 is taken by  /');
  });
  test('in quarantine, or parked by an abort, is refused unless the machine has it already', () => {
    const held = (annotations: Record<string, string>, spec = {}) =>
      known(aHost({ state: 'available', seen: { annotations, spec } }));
    expect(claimObstacle(held({ 'temper/quarantine': '' }), undefined, order)).toBe('host node-1 is in quarantine');
    expect(claimObstacle(held({ 'temper/abort': '' }), undefined, order)).toBe('host node-1 is parked');
    expect(
      claimObstacle(held({ 'temper/quarantine': '' }, { consumerRef: CONSUMER }), undefined, order),
    ).toBeUndefined();
  });
  test.each([
    ['in quarantine', 'temper/quarantine', { image: IMAGE }],
    ['parked', 'temper/abort', { customDeploy: { method: 'install' } }],
    ['in quarantine', 'temper/quarantine', { externallyProvisioned: true }],
  ])('%s that runs something without a consumer goes on to the objects, which say whose it is', (_, key, spec) => {
    const running = (consumerRef?: object) =>
      known(aHost({ state: 'provisioned', seen: { annotations: { [key]: '' }, spec: { ...spec, consumerRef } } }));
    expect(claimObstacle(running(), undefined, order)).toBeUndefined();
    expect(claimObstacle(running(), undefined, { ...order, reuse: 'md-a' })).toBeUndefined();
    expect(claimObstacle(running({ ...CONSUMER, name: 'm3m-2' }), undefined, order)).toMatch(/^host node-1 is /);
    expect(claimObstacle(running(ofCluster), undefined, { ...order, reuse: 'md-a' })).toMatch(/^host node-1 is /);
  });
  test('that its Cluster keeps is taken up for machines that it is kept for', () => {
    expect(claimObstacle(known(consumed(ofCluster)), undefined, { ...order, reuse: 'md-a' })).toBeUndefined();
    expect(claimObstacle(known(consumed(ofCluster)), undefined, order)).toBe(
      'host node-1 is taken by Cluster metal/test1',
    );
  });
  test('that is just being given to another is refused', () => {
    const other = { namespace: 'metal', name: 'm3m-2' };
    expect(claimObstacle(known(aHost({ state: 'available' })), other, order)).toBe(
      'host node-1 is being claimed by metal/m3m-2',
    );
  });
  test('that is deleted, gone or another one is refused', () => {
    const deleted = aHost({ state: 'available', seen: { deletionTimestamp: '2026-01-02T00:00:00Z' } });
    expect(claimObstacle(known(deleted), undefined, order)).toBe('host node-1 is being deleted');
    expect(claimObstacle(known(aHost(), true), undefined, order)).toBe('host node-1 is being deleted');
    expect(claimObstacle(known(aHost({ seen: { uid: 'other' } })), undefined, order)).toBe(
      'host node-1 does not exist any more',
    );
    expect(claimObstacle(undefined, undefined, order)).toBe('host node-1 does not exist any more');
  });
});

describe('whose a host is', () => {
  test('is known as soon as it is written, and forgotten when the host is released', () => {
    const taken = withConsumer(aHost(), aHostFact({ uid: 'uid-1', resourceVersion: '200', consumer: CONSUMER }));
    expect(taken.seen).toMatchObject({ resourceVersion: '200', spec: { consumerRef: CONSUMER } });
    const free = withConsumer(taken, aHostFact({ uid: 'uid-1', resourceVersion: '201' }));
    expect(free.seen.spec).not.toHaveProperty('consumerRef');
  });
  test('is not undone by a snapshot from before it was written, and by one from after it is', () => {
    const taken = withConsumer(aHost(), aHostFact({ uid: 'uid-1', resourceVersion: '200', consumer: CONSUMER }));
    const late = absorb(taken, aSnapshot({ resourceVersion: '199', spec: { online: true } }));
    expect(late.seen.spec).toMatchObject({ online: true, consumerRef: CONSUMER });
    expect(absorb(late, aSnapshot({ resourceVersion: '201' })).seen.spec).not.toHaveProperty('consumerRef');
  });
  test('that was seen once hangs on no version any more: etcd may be restored', () => {
    const taken = withConsumer(aHost(), aHostFact({ uid: 'uid-1', resourceVersion: '200', consumer: CONSUMER }));
    const seen = absorb(taken, aSnapshot({ resourceVersion: '200', spec: { consumerRef: CONSUMER } }));
    expect(absorb(seen, aSnapshot({ resourceVersion: '50' })).seen.spec).not.toHaveProperty('consumerRef');
  });
  test('is forgotten when etcd was restored before it was seen', () => {
    const taken = withConsumer(
      aHost({ seen: { versionsSince: 1 } }),
      aHostFact({ uid: 'uid-1', resourceVersion: '200', consumer: CONSUMER }),
    );
    const restored = absorb(taken, aSnapshot({ resourceVersion: '150', versionsSince: 2 }));
    expect(restored.seen.spec).not.toHaveProperty('consumerRef');
    expect(claimObstacle(known(restored), undefined, order)).toBeUndefined();
  });
  test('is not taken over from a host of another uid', () => {
    const host = aHost();
    expect(withConsumer(host, aHostFact({ uid: 'other', consumer: CONSUMER }))).toBe(host);
  });
});
