import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { aReconciler } from '../../test/builders/reconciling.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import type { Controller } from '../controller.ts';
import { digestOf } from '../digest.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { createOrders } from '../signal/orders.ts';
import type { Signals, ViewAnswer } from '../signal/signals.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createQueue, type KeyedQueue } from '../watch/queue.ts';
import { createResync, type Resync } from './resync.ts';

let store: Store;
let ledger: Ledger;
let queue: KeyedQueue;
let resync: Resync;
let ending: AbortController;
/** Names of objects in the order of what was done to them. */
let asked: string[];
let looked: string[];
let published: string[];
let revived: string[];
let signalled: string[];
let versions: string[];
let vanished: string[];
let answer: (name: string) => Promise<ViewAnswer>;
/** Ids of running workflows. */
let running: () => readonly string[];

beforeEach(() => {
  vi.useFakeTimers();
  store = createStore();
  ledger = createLedger();
  ending = new AbortController();
  [asked, looked, published, revived, signalled, versions, vanished] = [[], [], [], [], [], [], []];
  running = () => [];
  queue = createQueue({ concurrency: 1, onFailure: () => undefined });
  queue.serve(async (key) => void looked.push(key));
  const own = ownObjects(widgetBinding, store, '');
  const log = pino({ level: 'silent' });
  const orders = createOrders(1);
  const signals: Signals = {
    observe: async (_, { snapshot }) => {
      signalled.push(snapshot.name);
      versions.push(snapshot.resourceVersion);
      return 'run-1';
    },
    vanish: async (_, { name, uid }) => {
      vanished.push(`${name} ${uid}`);
      return true;
    },
    ask: async (_, { name }) => {
      asked.push(name);
      return answer(name);
    },
  };
  const controller: Controller = {
    binding: widgetBinding,
    own,
    queue,
    ready: Promise.resolve(),
    isReady: () => true,
    reconciler: aReconciler(
      { binding: widgetBinding, store, ledger, now: () => 0 },
      { signals, orders, queue: { addLater: queue.add }, log },
    ),
  };
  answer = async (name) => ({ kind: 'view', view: view(name) });
  resync = createResync({
    client: {
      workflow: {
        async *list() {
          for (const workflowId of running()) yield { workflowId };
        },
      },
    } as never,
    controllers: [controller],
    ledger,
    orders,
    signals,
    publish: async ({ name }) => {
      published.push(name);
      return { kind: 'published' };
    },
    revive: async (_, key) => void revived.push(key),
    watches: () => true,
    log,
    now: () => 0,
  });
});
afterEach(async () => {
  ending.abort();
  await queue.stop();
  vi.useRealTimers();
});

/** As of a run that knows this essence. */
const view = (name: string, essence = digestOf(name)): EntityView => ({
  kind: 'Widget',
  namespace: 'n',
  name,
  uid: `${name}-uid`,
  generation: 0,
  run: 'r',
  revision: 1,
  at: 0,
  order: { epoch: 0, number: 1, essence },
  waitingFor: '',
  shown: {},
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the full resync', () => {
  test('asks each run, those with something to do first, shows what it answers, and knows what it has taken in', async () => {
    for (const name of ['a', 'b']) store.put(WIDGET, aWidget(name));
    store.put(WIDGET, aWidget('leaving', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    answer = async (name) => ({ kind: 'view', view: view(name, name === 'b' ? 'something else' : undefined) });
    void resync.run(ending.signal);
    await pass(1_000);
    expect({ asked, published }).toEqual({ asked: ['leaving', 'a', 'b'], published: ['leaving', 'a', 'b'] });
    expect(signalled).toEqual(['b']);
    expect(looked.toSorted()).toEqual(['n/a', 'n/b', 'n/leaving']);
  });

  test('begins runs again that are missing', async () => {
    for (const name of ['never', 'ended']) store.put(WIDGET, aWidget(name));
    answer = async (name) => ({ kind: name === 'never' ? 'none' : 'closed' });
    void resync.run(ending.signal);
    await pass(1_000);
    expect(revived).toEqual(['n/never', 'n/ended']);
  });

  test('comes back to what did not answer, more slowly', async () => {
    store.put(WIDGET, aWidget('a'));
    let failures = 3;
    answer = async (name) => {
      if (failures-- > 0) throw new Error('no poller');
      return { kind: 'view', view: view(name) };
    };
    void resync.run(ending.signal);
    await pass(10_000);
    expect({ asked, published }).toEqual({ asked: ['a', 'a', 'a', 'a'], published: ['a'] });
  });

  test('tells a run that its object is gone, although Temporal and the run do not answer at first', async () => {
    store.put(WIDGET, aWidget('there'));
    const failures = { list: 2, query: 2 };
    running = () => {
      if (failures.list-- > 0) throw new Error('connection dropped');
      return ['widget/n/there', 'widget/n/gone'];
    };
    answer = async (name) => {
      if (name === 'gone' && failures.query-- > 0) throw new Error('no poller');
      return { kind: 'view', view: view(name) };
    };
    void resync.run(ending.signal);
    await pass(20_000);
    expect(vanished).toEqual(['gone gone-uid']);
  });

  test('tells a run of its object as it is when the run answers', async () => {
    for (const name of ['changed', 'replaced', 'deleted']) store.put(WIDGET, aWidget(name));
    answer = async (name) => {
      if (name === 'changed') store.put(WIDGET, { ...aWidget(name), resourceVersion: '2' });
      if (name === 'replaced') store.put(WIDGET, { ...aWidget(name), uid: 'another' });
      if (name === 'deleted') store.remove(WIDGET, 'n/deleted');
      return { kind: 'view', view: view(name, 'something else') };
    };
    void resync.run(ending.signal);
    await pass(1_000);
    expect({ signalled, versions }).toEqual({ signalled: ['changed'], versions: ['2'] });
    expect(looked).toContain('n/replaced');
    expect(ledger.find('deleted-uid')).toBeUndefined();
  });

  test('asks a run that never answers more and more rarely, so that it does not slow down others', async () => {
    store.put(WIDGET, aWidget('never'));
    store.put(WIDGET, aWidget('a'));
    answer = async (name) => {
      if (name === 'never') throw new Error('no poller');
      return { kind: 'view', view: view(name) };
    };
    void resync.run(ending.signal);
    await pass(600_000);
    expect(published).toEqual(['a']);
    expect(asked.filter((name) => name === 'never').length).toBeLessThan(12);
  });

  test('is one: begun again it gives up the pass that is under way', async () => {
    for (let at = 0; at < 100; at++) store.put(WIDGET, aWidget(`w${at}`));
    void resync.run(ending.signal);
    await pass(1_000);
    const before = asked.length;
    expect(before).toBeLessThan(30);
    resync.restart();
    await pass(20_000);
    expect(asked.slice(before)).toHaveLength(100);
    expect(new Set(asked.slice(before)).size).toBe(100);
  });
});
