import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView, Shown } from '../../domain/entity/view.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import type { Json } from '../../kube/merge-patch.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import { createRestore, type Restore, untilRestored } from '../lease/restore.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import type { Announce } from './announce.ts';
import { createWrite, type Write } from './write.ts';

interface Body {
  readonly metadata?: { readonly finalizers?: readonly string[] };
  readonly status?: Json;
  readonly spec?: Json;
}

let store: Store;
let ledger: Ledger;
let restore: Restore;
/** The Lease is older than the last renewal. */
let isLeaseOlder: boolean;
let write: Write;
/** The version that the API server has. */
let present: string;
let patches: number;
let generation: number;
let spec: Json;
/** What a policy adds to the spec. */
let defaulted: Json;
/** The parts of the object in each patch that was accepted. */
let bodies: string[][];
/** What the API server says against a patch; undefined: it accepts all. */
let refusal: ((path: string, body: Body) => KubeError | undefined) | undefined;
/** Metadata of the object beside its name. */
let more: object;
let events: string[];
/** Their types. */
let types: string[];
let written: object | undefined;
/** Lines in the log, from the level `info` on. */
let logged: object[];

beforeEach(() => {
  store = createStore();
  ledger = createLedger();
  isLeaseOlder = false;
  let noticed = (): void => undefined;
  restore = createRestore({
    look: async () => (isLeaseOlder ? noticed() : undefined),
    renewedAt: () => undefined,
    onNoticed: (listener) => void (noticed = listener),
    noticedByOthers: () => undefined,
  });
  [present, patches, generation, bodies] = ['5', 0, 0, []];
  [spec, defaulted] = [{}, {}];
  [refusal, more, events, types, written, logged] = [undefined, {}, [], [], undefined, []];
  const { object: widget, ...metadata } = aWidget('a');
  const object = () => ({
    ...(widget as object),
    spec,
    metadata: { ...metadata, generation, ...more, resourceVersion: present },
  });
  const kube = {
    find: async () => object(),
    patch: async (path: string, body: Body) => {
      patches += 1;
      const refused = refusal?.(path, body);
      if (refused !== undefined) throw refused;
      if (body.status !== undefined) written = body.status;
      if (body.spec !== undefined) generation += 1;
      spec = { ...spec, ...body.spec, ...defaulted };
      bodies.push(Object.keys(body));
      return object();
    },
  } as unknown as Kube;
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as object) });
  const announce: Announce = async ({ event }) => {
    events.push(event.message);
    types.push(event.type);
    return true;
  };
  write = createWrite({
    kube: untilRestored(kube, restore),
    stores: store,
    ledger,
    restore,
    announce,
    onRefused: () => undefined,
    log,
    now: () => 0,
  });
});

const view: EntityView = {
  kind: 'Widget',
  namespace: 'n',
  name: 'a',
  uid: 'a-uid',
  generation: 0,
  run: 'r',
  revision: 1,
  at: 0,
  order: { epoch: 0, number: 1 },
  waitingFor: '',
  shown: { status: { colour: 'blue' } },
};
/** The view with something else to show. */
const showing = (shown: Shown): EntityView => ({ ...view, shown: { ...view.shown, ...shown } });
const CONDITION = { type: 'Ready', status: 'True', reason: 'Fine', message: '' } as const;
const cached = (resourceVersion: string): void => store.put(WIDGET, { ...aWidget('a'), resourceVersion });

test('while the run of an operation is paused, what the run of its object shows says so, too', async () => {
  const pause = 'The run widget/n/a/paint/1 was paused in Temporal by ada';
  ledger.of('a-uid').paused = pause;
  await write(showing({ conditions: [CONDITION] }), widgetBinding, { isCacheTrusted: true });
  expect(written).toMatchObject({
    conditions: [
      { ...CONDITION, message: pause },
      { type: 'WorkflowPaused', status: 'True', reason: 'RunPaused', message: pause },
    ],
  });
  ledger.of('a-uid').paused = '';
  await write({ ...showing({ conditions: [CONDITION] }), revision: 2 }, widgetBinding, { isCacheTrusted: true });
  expect(written).toMatchObject({ conditions: [CONDITION] });
});

test('what is only for the list of operations is no Event', async () => {
  const ended = { id: '1', reason: 'PreparationComplete', message: 'Host prepared' };
  await write(showing({ events: [{ ...ended, onlyListed: true }] }), widgetBinding, { isCacheTrusted: true });
  expect(events).toEqual([]);
  await write(showing({ events: [ended] }), widgetBinding, { isCacheTrusted: true });
  expect(events).toEqual(['Host prepared']);
});

test('the Event of a failure is a Warning, and every other one is Normal', async () => {
  const failed = { id: '1', reason: 'ProvisioningError', message: 'no disk', warning: true } as const;
  const ended = { id: '2', reason: 'ProvisioningComplete', message: 'done' };
  await write(showing({ events: [failed, ended] }), widgetBinding, { isCacheTrusted: true });
  expect(types).toEqual(['Warning', 'Normal']);
});

describe('a view that removes the annotation of a retry', () => {
  const annotations = { 'temper/retry': 'again' };

  test.each([
    ['that its run has taken', 'again', [['metadata'], ['status', 'metadata']]],
    ['of which the list does not speak', undefined, [['metadata'], ['status', 'metadata']]],
    ['not when it is a newer one', 'm1 again', [['status', 'metadata']]],
  ])('removes it: %s', async (_, retryTaken, expected) => {
    more = { annotations };
    const taken = retryTaken === undefined ? {} : { retryTaken };
    const removing = showing({ annotations: { 'temper/retry': null }, ...taken });
    await write(removing, widgetBinding, { isCacheTrusted: true });
    expect(bodies).toEqual(expected);
  });
});

describe('a write of the spec', () => {
  const both = showing({ spec: { colour: 'blue' }, annotations: { a: 'b' }, conditions: [CONDITION] });
  const write0 = () => write(both, widgetBinding, { isCacheTrusted: true });

  test('raises the generation of the object, and the status is of the new one', async () => {
    cached('5');
    expect(await write0()).toEqual({ kind: 'written', at: 0, generation: 1 });
    expect(written).toMatchObject({ conditions: [{ observedGeneration: 1 }] });
  });
  test('of an object that somebody else has changed leaves the status of the generation that the run knows', async () => {
    generation = 3;
    expect(await write0()).toEqual({ kind: 'written', at: 0 });
    expect(written).toMatchObject({ conditions: [{ observedGeneration: 0 }] });
  });
  test('is of the new one also when it is repeated, because its answer was lost or its status was a conflict', async () => {
    cached('5');
    await write0();
    written = undefined;
    expect(await write(both, widgetBinding, { isCacheTrusted: false })).toEqual({
      kind: 'written',
      at: 0,
      generation: 1,
    });
    expect(written).toMatchObject({ conditions: [{ observedGeneration: 1 }] });
  });
  test('to which a policy adds something leaves the status of the generation that the run knows', async () => {
    cached('5');
    defaulted = { size: 3 };
    expect(await write0()).toEqual({ kind: 'written', at: 0 });
  });
  test('has the annotations with it, and each goes alone when a policy refuses both', async () => {
    cached('5');
    await write0();
    expect(bodies).toEqual([
      ['metadata', 'spec'],
      ['status', 'metadata'],
    ]);
    bodies = [];
    refusal = (path, { spec }) => (spec === undefined ? undefined : new KubeError(`PATCH ${path}`, 403, {}));
    await write0();
    expect(bodies.map((parts) => parts.toSorted().join())).toEqual(['metadata', 'metadata,status']);
  });
});

describe('a write that the API server refuses', () => {
  const denied = (path: string): KubeError =>
    new KubeError(`PATCH ${path}`, 403, { reason: 'Forbidden', message: 'colours are our business', object: 'a' });

  test('is named in the condition and the Event by the object, and not by the request', async () => {
    cached('5');
    refusal = (path) => (path.endsWith('/status') ? undefined : denied(path));
    const message = 'patching the spec of Widget n/a: colours are our business';
    await write(showing({ spec: { colour: 'blue' }, conditions: [] }), widgetBinding, { isCacheTrusted: true });
    expect(events).toEqual([message]);
    expect(written).toMatchObject({ conditions: [{ type: 'WriteRefused', reason: 'Forbidden', message }] });
  });

  test('is named in the log with the uid and the run, also before anything of that run was written', async () => {
    cached('5');
    refusal = (path) => (path.endsWith('/status') ? denied(path) : undefined);
    await expect(write(view, widgetBinding, { isCacheTrusted: true })).rejects.toThrow('colours are our business');
    expect(logged).toMatchObject([{ kind: 'Widget', object: 'n/a', objectUid: 'a-uid', firstRunId: 'r' }]);
  });

  test('is told by an Event when it is the status itself', async () => {
    cached('5');
    refusal = (path) => (path.endsWith('/status') ? denied(path) : undefined);
    await expect(write(view, widgetBinding, { isCacheTrusted: true })).rejects.toThrow('colours are our business');
    expect(events).toEqual(['patching the status of Widget n/a: colours are our business']);
  });

  describe('because its schema does not allow a value in the status', () => {
    const message = 'patching the status of Widget n/a: "blue": not a colour';
    const shape = showing({ status: { colour: 'blue', size: 3 }, conditions: [] });
    beforeEach(() => {
      cached('5');
      refusal = (path, { status }) =>
        status?.['colour'] === undefined
          ? undefined
          : new KubeError(`PATCH ${path}`, 422, {
              reason: 'Invalid',
              message: '"blue": not a colour',
              object: 'a',
              fields: ['status.colour'],
            });
    });

    test('writes no status, and tells it as what will never be accepted', async () => {
      const answer = await write(shape, widgetBinding, { isCacheTrusted: true });
      expect(answer).toEqual({ kind: 'invalid', why: message });
      expect({ written, events }).toEqual({ written: undefined, events: [message] });
    });

    test('is repeated without that value, and a condition says so', async () => {
      const answer = await write(shape, widgetBinding, { isCacheTrusted: true, leavesOut: true });
      expect(answer).toMatchObject({ kind: 'written' });
      expect(written).toMatchObject({ size: 3, conditions: [{ type: 'WriteRefused', reason: 'Invalid', message }] });
      expect(written).not.toHaveProperty('colour');
      expect(events).toEqual([message]);
    });

    test.each([
      ['names none', []],
      ['names the same again', ['status.shade']],
    ])('is retried when the API server %s', async (_, fields) => {
      refusal = (path) =>
        new KubeError(`PATCH ${path}`, 422, { reason: 'Invalid', message: 'no', object: 'a', fields });
      await expect(write(shape, widgetBinding, { isCacheTrusted: true, leavesOut: true })).rejects.toThrow('no');
    });
  });
});

describe('the finalizer of an object whose workflow ends', () => {
  const leaving: EntityView = { ...view, leaving: true };
  const isLetGo = (): boolean | undefined => ledger.find('a-uid')?.written?.letGo;
  const answerOf = (status: number): KubeError =>
    new KubeError('PATCH', status, { reason: 'Refused', message: 'finalizers are our business', object: 'a' });
  /** What was known of the object when its finalizer was to be removed. */
  let during: (boolean | undefined)[];
  beforeEach(() => {
    during = [];
    more = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [widgetBinding.finalizer] };
  });
  const answering = (error?: KubeError): void => {
    refusal = (_, body) => {
      if (body.metadata?.finalizers === undefined) return undefined;
      during.push(isLetGo());
      return error;
    };
  };
  const writeLeaving = () => write(leaving, widgetBinding, { isCacheTrusted: false });

  test('is removed after that was stored, so that the deletion is not taken for that of another client', async () => {
    answering();
    expect(await writeLeaving()).toEqual({ kind: 'written', at: 0 });
    expect([during, isLetGo()]).toEqual([[true], true]);
  });

  test.each([403, 500, 409, 0])(
    'stays when the API server answers %s: the object is looked after, because its workflow may be lost',
    async (status) => {
      answering(answerOf(status));
      await expect(writeLeaving()).rejects.toThrow('finalizers are our business');
      expect([during, isLetGo()]).toEqual([[true], false]);
      answering();
      await writeLeaving();
      expect(isLetGo()).toBe(true);
    },
  );

  test('counts as removed when the object is gone', async () => {
    answering(answerOf(404));
    await expect(writeLeaving()).rejects.toThrow('404');
    expect(isLetGo()).toBe(true);
  });

  test('stays with an Event when a policy forbids to remove it', async () => {
    answering(answerOf(403));
    await expect(writeLeaving()).rejects.toThrow('403');
    expect(events).toEqual(['patching the finalizers of Widget n/a: finalizers are our business']);
  });
});

describe('after etcd was restored', () => {
  test('nothing is written any more once it was noticed', async () => {
    cached('5');
    restore.notice();
    await expect(write(view, widgetBinding, { isCacheTrusted: true })).rejects.toThrow('etcd was restored');
    expect(patches).toBe(0);
  });

  test.each([
    ['that others have changed meanwhile', false, async () => cached('5')],
    ['that the cache lacks', true, async () => undefined],
    [
      'whose last write the watch has not delivered',
      true,
      async () => {
        present = '9';
        cached('5');
        await write(view, widgetBinding, { isCacheTrusted: false });
        patches = 0;
      },
    ],
  ])('an object %s is not written to when the Lease shows the restore', async (_, isCacheTrusted, begin) => {
    await begin();
    isLeaseOlder = true;
    await expect(write(view, widgetBinding, { isCacheTrusted })).rejects.toThrow('etcd was restored');
    expect({ patches, isNoticed: restore.noticed.aborted }).toEqual({ patches: 0, isNoticed: true });
  });

  test('an object that is newer than the one that the watch has delivered is written to', async () => {
    cached('4');
    expect(await write(view, widgetBinding, { isCacheTrusted: false })).toEqual({ kind: 'written', at: 0 });
    expect({ patches, isNoticed: restore.noticed.aborted }).toEqual({ patches: 1, isNoticed: false });
  });
});
