import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '../domain/entity/seen.ts';
import type { EntityView } from '../domain/entity/view.ts';
import { createStore, type Entry, type Store } from '../kube/store.ts';
import { aPublish, aReconciler } from '../test/builders/reconciling.ts';
import { colouredBinding, PALETTE, WIDGET, colouredWidget as widget } from '../test/builders/widget.ts';
import type { Binding, Unwritten } from './binding.ts';
import { createRestore, type Restore } from './lease/restore.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Publish } from './publish/publish.ts';
import { createToldFirst } from './publish/told-first.ts';
import type { Reconciler } from './reconcile.ts';
import { createOrders, type Orders } from './signal/orders.ts';
import type { Signals, ViewAnswer } from './signal/signals.ts';
import { enqueueChanges } from './watch/enqueue.ts';
import { ownObjects } from './watch/own-objects.ts';

const binding: Binding = {
  ...colouredBinding,
  note: async () => (first === 'noted' ? 'written' : undefined),
  completeFirst: async () => (first === 'noted' ? undefined : first),
};

/** How the writes before a signal end; `noted`: the list on the object was written. */
let first: 'noted' | 'written' | Unwritten | undefined;
let store: Store;
let ledger: Ledger;
let orders: Orders;
let reconciler: Reconciler;
let publish: Publish;
/** The answer of every run that is asked for its view. */
let answer: () => ViewAnswer;
let looks: Set<string>;
let repairs: string[];
let events: string[];
/** What went to workflows. */
let signalled: Observation[];
let vanished: string[];
let now: number;
let restore: Restore;
/** Lines in the log, from the level `info` on. */
let logged: object[];
/** Version of the object in the API server. */
let present: string;

beforeEach(() => {
  store = createStore();
  answer = () => ({ kind: 'none' });
  first = undefined;
  [looks, repairs, events, signalled, vanished, now] = [new Set(), [], [], [], [], 1_000_000];
  logged = [];
  begin();
});

/** A bridge begins, with what is in the store. */
function begin(isAfterRestore = false): void {
  ledger = createLedger();
  now += 1;
  orders = createOrders(now);
  restore = createRestore(undefined, isAfterRestore);
  const own = ownObjects(binding, store, '');
  const look = (key: string): void => void looks.add(key);
  const signals: Signals = {
    async observe(_, observation) {
      signalled.push(observation);
      return 'run-1';
    },
    vanish: async (_, { uid }) => vanished.push(uid) > 0,
    ask: async () => answer(),
  };
  const kind = { binding, store, ledger, now: () => now };
  reconciler = aReconciler(kind, {
    orders,
    signals,
    announce: async ({ event }) => events.push(event.message) > 0,
    queue: { addLater: look },
    repair: (_, key) => void repairs.push(key),
    isAfterRestore: restore.isPast,
    log: pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as object) }),
  });
  publish = aPublish(kind, {
    toldFirst: createToldFirst({
      tellers: new Map([['Widget', { own, reconciler, isReady: () => true }]]),
      ledger,
      orders,
      signals,
      restore,
      versionOf: async () => present,
      now: () => now,
    }),
    announce: async ({ event }) => events.push(event.message) > 0,
    write: async (view) => {
      const { run, revision, at: viewAt, leaving: letGo = false } = view;
      const found = store.get(WIDGET, `${view.namespace}/${view.name}`);
      if (found?.uid !== view.uid) return { kind: 'gone' };
      const { resourceVersion } = found;
      ledger.of(view.uid).written = {
        run,
        revision,
        viewAt,
        at: now,
        resourceVersion,
        status: '',
        held: false,
        letGo,
        own: {},
      };
      return { kind: 'written', at: now };
    },
    look: (_, key) => look(key),
  });
  store.onChange(enqueueChanges({ binding, own, isReady: () => true, look, vanished: reconciler.vanished }, store));
}

const view = ({ namespace, name, uid }: Entry, change: Partial<EntityView> = {}): EntityView => ({
  kind: 'Widget',
  namespace,
  name,
  uid,
  generation: 0,
  run: 'run-1',
  revision: 1,
  at: now,
  waitingFor: '',
  order: signalled.at(-1)?.order ?? { epoch: 0, number: 0 },
  shown: {},
  ...change,
});
async function settle(): Promise<void> {
  while (looks.size > 0) {
    const keys = [...looks];
    looks.clear();
    for (const key of keys) await reconciler.reconcile(key);
  }
}
const seen = () => signalled.map(({ snapshot }) => snapshot);

describe('a look at an object', () => {
  test('signals each change once', async () => {
    store.put(WIDGET, widget('a'));
    await settle();
    store.put(WIDGET, widget('a', 'red', { resourceVersion: '2' }));
    await settle();
    store.put(PALETTE, widget('a'));
    await settle();
    expect(seen()).toMatchObject([{ palette: false }, { palette: true }]);
    expect(signalled.map(({ order }) => order.number)).toEqual([1, 2]);
  });

  test('signals nothing once it has written to the object, and what a policy forbids to write with the object', async () => {
    for (first of ['noted', 'written'] as const) {
      store.put(WIDGET, widget('a'));
      await settle();
      expect(signalled).toEqual([]);
    }
    first = { annotations: { inherited: 'blue' }, refusal: 'not allowed' };
    await reconciler.reconcile('n/a');
    expect(seen()).toMatchObject([{ colour: 'red', inherited: 'blue' }]);
  });

  test('complains once of what can not be read, and of what is too large for one message', async () => {
    for (const colour of [1, 2, 'x'.repeat(100_000)]) {
      store.put(WIDGET, widget('a', colour, { resourceVersion: String(colour).slice(0, 1) }));
      await settle();
    }
    expect(signalled).toEqual([]);
    expect(events[0]).toBe("The Widget can't be read and is ignored: colour: no text");
    expect(events.slice(1)).toEqual([
      expect.stringMatching(/has 100\d\d\d bytes, and at most 100000 are possible: shorten its spec/),
    ]);
  });

  test('asks for a repair when somebody else wrote its status, and looks again when what we wrote has not come back', async () => {
    const entry = widget('a', 'red', { resourceVersion: '5' });
    store.put(WIDGET, entry);
    await settle();
    await publish(view(entry), { kind: 'workflow' });
    store.put(WIDGET, widget('a', 'red', { resourceVersion: '4' }));
    await reconciler.reconcile('n/a');
    expect(repairs).toEqual([]);
    now += 10_000;
    await reconciler.reconcile('n/a');
    expect(repairs).toEqual(['n/a']);
  });
});

describe('a run that knows less than it should', () => {
  test('gets a snapshot marked anew, once', async () => {
    const entry = widget('a');
    store.put(WIDGET, entry);
    await settle();
    await publish(view(entry, { revision: 7 }), { kind: 'workflow' });
    expect(await publish(view(entry, { revision: 3, at: now + 1 }), { kind: 'workflow' })).toEqual({ kind: 'behind' });
    await settle();
    await reconciler.reconcile('n/a');
    expect(signalled.map(({ anew }) => anew)).toEqual([undefined, true]);
  });

  test('is believed again once it has begun anew, although its revisions are lower, and is told of once', async () => {
    const entry = widget('a');
    store.put(WIDGET, entry);
    await settle();
    const [, order] = [await publish(view(entry, { revision: 7 }), { kind: 'workflow' }), orders.next('')];
    const stale = view(entry, { revision: 3, at: now + 1, behind: 'undeploy: it is provisioned as its spec asks' });
    expect(await publish(stale, { kind: 'workflow' })).toEqual({ kind: 'behind' });
    await settle();
    // Sent before the run took the snapshot in.
    expect(await publish(view(entry, { revision: 4, at: now + 2, order }), { kind: 'workflow' })).toEqual({
      kind: 'behind',
    });
    await settle();
    const anew = view(entry, { revision: 5, at: now + 3, order: signalled.at(-1)?.order ?? order });
    expect(await publish(anew, { kind: 'workflow' })).toEqual({ kind: 'published', at: now });
    expect(await publish({ ...anew, revision: 6, at: now + 4 }, { kind: 'workflow' })).toEqual({
      kind: 'published',
      at: now,
    });
    expect(events).toEqual([
      'The workflow knew less than this object shows, and begins anew from it: undeploy: it is provisioned as its spec asks',
    ]);
  });

  test('gets a snapshot to begin anew from although the bridge has signalled nothing yet', async () => {
    const entry = widget('a');
    store.put(WIDGET, entry);
    const stale = view(entry, { behind: 'undeploy: it is provisioned as its spec asks' });
    expect(await publish(stale, { kind: 'workflow' })).toEqual({ kind: 'behind' });
    await settle();
    expect(signalled).toMatchObject([{ anew: true }]);
  });

  test('of another object of the name gets a snapshot of the present one', async () => {
    const entry = widget('a');
    store.put(WIDGET, entry);
    await settle();
    expect(await publish(view({ ...entry, uid: 'forged' }), { kind: 'workflow' })).toEqual({ kind: 'gone' });
    await settle();
    expect(seen()).toMatchObject([{ uid: 'a-uid' }, { uid: 'a-uid' }]);
  });
});

describe('a run that an earlier bridge has told of its object', () => {
  const entry = widget('a');
  const written = () => ledger.find('a-uid')?.written?.revision;
  /** What the run shows after an earlier bridge has told it of this widget. */
  async function shownAfter(told: Entry): Promise<EntityView> {
    store.put(WIDGET, told);
    await settle();
    const shown = view(told, { revision: 3 });
    signalled.length = 0;
    return shown;
  }
  const asTold = (shown: EntityView, revision: number): ViewAnswer => ({
    kind: 'view',
    view: { ...shown, revision, order: signalled.at(-1)?.order ?? shown.order },
  });

  test('is told of the object as it is and asked again, before anything is written for it', async () => {
    const shown = await shownAfter(widget('a', 'blue'));
    begin();
    store.put(WIDGET, widget('a', 'red', { resourceVersion: '2' }));
    answer = () => asTold(shown, 4);
    expect(await publish(shown, { kind: 'workflow' })).toMatchObject({ kind: 'published', instead: { revision: 4 } });
    expect({ seen: seen(), written: written() }).toMatchObject({ seen: [{ colour: 'red' }], written: 4 });
  });

  test('has published its view when the object as it is changes nothing in it', async () => {
    const shown = await shownAfter(widget('a', 'blue'));
    begin();
    store.put(WIDGET, widget('a', 'red', { resourceVersion: '2' }));
    answer = () => asTold(shown, 3);
    expect(await publish(shown, { kind: 'workflow' })).toMatchObject({ kind: 'published' });
  });

  test('gets no signal when the object is as it knows it', async () => {
    const shown = await shownAfter(entry);
    begin();
    expect(await publish(shown, { kind: 'workflow' })).toMatchObject({ kind: 'published' });
    await settle();
    expect({ seen: seen(), written: written() }).toEqual({ seen: [], written: 3 });
  });

  test('gets one in any case after etcd was restored, because what it has written may be lost', async () => {
    const shown = await shownAfter(entry);
    begin(true);
    answer = () => asTold(shown, 4);
    await publish(shown, { kind: 'workflow' });
    await settle();
    expect({ signals: signalled.length, written: written() }).toEqual({ signals: 1, written: 4 });
  });

  test('that has ended since it was told has nothing written', async () => {
    const shown = await shownAfter(entry);
    begin(true);
    answer = () => ({ kind: 'closed' });
    await expect(publish(shown, { kind: 'workflow' })).rejects.toThrow('has ended');
    expect(written()).toBeUndefined();
  });

  test('and whose object can not be read now has nothing written', async () => {
    const shown = await shownAfter(entry);
    begin();
    store.put(WIDGET, widget('a', 7, { resourceVersion: '2' }));
    await expect(publish(shown, { kind: 'workflow' })).rejects.toThrow("can't be told of Widget n/a");
    expect(written()).toBeUndefined();
  });

  test('that does not answer has nothing written', async () => {
    const shown = await shownAfter(entry);
    begin(true);
    answer = () => {
      throw new Error('no poller');
    };
    await expect(publish(shown, { kind: 'workflow' })).rejects.toThrow('no poller');
    expect(written()).toBeUndefined();
  });
});

describe('a run that has seen a newer version of its object', () => {
  const told = widget('a', 'blue', { resourceVersion: '9' });
  let shown: EntityView;
  beforeEach(async () => {
    store.put(WIDGET, told);
    await settle();
    shown = view(told, { revision: 3, resourceVersion: '9' });
    store.put(WIDGET, widget('a', 'blue', { resourceVersion: '4' }));
    signalled.length = 0;
  });

  test('than the API server has ends the bridge, because etcd was restored before it began, and the next one signals everything', async () => {
    begin();
    present = '4';
    await expect(publish(shown, { kind: 'workflow' })).rejects.toThrow('etcd was restored');
    expect(restore.noticed.aborted).toBe(true);

    begin(true);
    answer = () => ({ kind: 'view', view: { ...shown, order: signalled.at(-1)?.order ?? shown.order } });
    expect(await publish(shown, { kind: 'workflow' })).toMatchObject({ kind: 'published' });
    expect({ signals: signalled.length, isNoticed: restore.noticed.aborted }).toEqual({ signals: 1, isNoticed: false });
  });

  test('than the watch has delivered ends nothing', async () => {
    begin();
    present = '9';
    expect(await publish(shown, { kind: 'workflow' })).toMatchObject({ kind: 'published' });
    expect(restore.noticed.aborted).toBe(false);
  });
});

describe('an object that is gone', () => {
  test('is forgotten, with everything that was remembered of it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `w${at}`);
    for (const name of names) store.put(WIDGET, widget(name, name === 'w1' ? 7 : 'red'));
    await settle();
    for (const name of names) await publish(view(widget(name)), { kind: 'workflow' });
    await settle();
    expect(ledger.size).toBe(20);

    for (const name of names) store.remove(WIDGET, `n/${name}`);
    await settle();
    // Too late.
    for (const name of names) await publish(view(widget(name), { revision: 2 }), { kind: 'workflow' });

    expect({ known: ledger.size, vanishing: reconciler.vanishing }).toEqual({ known: 0, vanishing: 0 });
    expect(vanished.toSorted()).toEqual(names.map((name) => `${name}-uid`).toSorted());
  });

  test('is named in the log with the run that it had', async () => {
    store.put(WIDGET, widget('a'));
    await settle();
    expect(ledger.find('a-uid')?.signalled).toMatchObject({ runId: 'run-1' });
    await publish(view(widget('a')), { kind: 'workflow' });
    store.remove(WIDGET, 'n/a');
    await settle();
    expect(logged).toMatchObject([{ kind: 'Widget', object: 'n/a', objectUid: 'a-uid', firstRunId: 'run-1' }]);
  });

  test('is not signalled as vanished when we removed the finalizer', async () => {
    const entry = widget('a');
    store.put(WIDGET, entry);
    await settle();
    await publish(view(entry, { leaving: true }), { kind: 'workflow' });
    store.put(WIDGET, widget('a', 'blue', { resourceVersion: '2' }));
    await settle();
    store.remove(WIDGET, 'n/a');
    await settle();
    expect({ vanished, signals: signalled.length }).toEqual({ vanished: [], signals: 1 });
  });

  test('and another of its name is signalled as such', async () => {
    store.put(WIDGET, widget('a'));
    await settle();
    store.put(WIDGET, widget('a', 'red', { uid: 'other' }));
    await settle();
    expect([seen().map(({ uid }) => uid), vanished, ledger.size]).toEqual([['a-uid', 'other'], [], 1]);
  });
});
