import { beforeEach, describe, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { observedGeneration, readObject } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { createSerializer } from '../../kube/one-at-a-time.ts';
import { hostCollection, hostPath } from '../../kube/paths.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { kstatusOf } from '../../test/kstatus/kstatus.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { createMarkCondition, failingMark, outageMark, pausedMark } from './mark-condition.ts';

const HOST = { namespace: 'metal', name: 'host-1', uid: 'u-1' };
const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Provisioned',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
};
const binding = {
  followed: KINDS.host,
  isLeftAlone: ({ object }: { readonly object: unknown }) => isPausedOrMoved(readObject(object)),
} as never;

let objects: ObjectsInMemory;
let ledger: Ledger;
let mark: ReturnType<typeof createMarkCondition>;
beforeEach(() => {
  objects = objectsInMemory();
  ledger = createLedger();
  mark = createMarkCondition({ kube: objects.kube, ledger, serially: createSerializer(), now: () => 0 });
});

/** A host whose spec was changed after its run has last observed it. */
const aHost = (annotations: object = {}, generation = 2): Promise<unknown> =>
  objects.kube.request({
    method: 'POST',
    path: hostCollection('metal'),
    body: { metadata: { ...HOST, generation, annotations }, status: { conditions: [READY] } },
  });
const theHost = () => readObject(objects.all().get(hostPath(HOST)));

describe('a mark of the bridge on a host', () => {
  test.each([
    ['whose run is paused in Temporal', pausedMark('BareMetalHost', 'paused by ada')],
    ['whose workflow task keeps failing', failingMark('it cannot be replayed')],
  ])('%s does not claim that the run has observed the newest spec', async (_, each) => {
    await aHost();
    expect(await mark(binding, HOST, each)).toBe(true);
    expect(theHost().status).not.toEqual({ conditions: [READY] });
    expect(observedGeneration(theHost())).toBe(1);
  });

  test.each([
    ['that its run has not observed is not Current', 2, 'InProgress'],
    ['that its run has observed stays Current', 1, 'Current'],
  ] as const)('whose run is paused in Temporal and whose spec is one %s', async (_, generation, expected) => {
    await aHost({}, generation);
    await mark(binding, HOST, pausedMark('BareMetalHost', 'paused by ada'));
    expect(kstatusOf(objects.all().get(hostPath(HOST)))).toBe(expected);
  });

  test.each([
    ['that its run has not observed is not Current, once', 2, 'InProgress', 1],
    ['that its run has observed stays Current', 1, 'Current', 0],
  ] as const)('while Temporal does not answer, whose spec is one %s', async (_, generation, expected, writes) => {
    await aHost({}, generation);
    const written: string[] = [];
    objects.beforeWrite = (method) => void written.push(method);
    const outage = outageMark('Temporal at temporal:7233 does not answer');
    expect(await mark(binding, HOST, outage)).toBe(true);
    expect(await mark(binding, HOST, outage)).toBe(true);
    expect(kstatusOf(objects.all().get(hostPath(HOST)))).toBe(expected);
    const ready = conditionsOf(theHost().status).find(({ type }) => type === 'Ready');
    expect(ready?.message.includes('Temporal at temporal:7233 does not answer')).toBe(writes === 1);
    expect(observedGeneration(theHost())).toBe(1);
    expect(written).toHaveLength(writes);
  });

  test('that had given up is no longer Stalled when its run is paused and has not observed its spec', async () => {
    await aHost();
    const stalled = { ...READY, type: 'Stalled', reason: 'GivenUp' };
    await objects.kube.patch(`${hostPath(HOST)}/status`, { status: { conditions: [READY, stalled] } });
    await mark(binding, HOST, pausedMark('BareMetalHost', 'paused by ada'));
    const types = conditionsOf(theHost().status).map(({ type, reason }) => `${type} ${reason}`);
    expect(types).toEqual(['Ready Provisioned', 'Reconciling RunPaused', 'WorkflowPaused RunPaused']);
  });

  test('that was paused or moved since the cache has seen it is not written, and is tried again', async () => {
    await aHost({ 'baremetalhost.metal3.io/paused': '' });
    expect(await mark(binding, HOST, pausedMark('BareMetalHost', 'paused by ada'))).toBe(false);
    expect(theHost().status).toEqual({ conditions: [READY] });
  });

  test('that is left to another operator is not written', async () => {
    await aHost();
    ledger.of(HOST.uid).leftAlone = 'another operator works in this namespace';
    expect(await mark(binding, HOST, pausedMark('BareMetalHost', 'paused by ada'))).toBe(false);
    expect(theHost().status).toEqual({ conditions: [READY] });
  });
});
