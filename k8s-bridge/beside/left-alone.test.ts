import { beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '../../domain/entity/seen.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { aPublish, aReconciler } from '../../test/builders/reconciling.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import type { PublishAnswer } from '../../workflows/messages.ts';
import type { Binding } from '../binding.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import type { Publish } from '../publish/publish.ts';
import type { Reconciler } from '../reconcile.ts';

const NOW = 1_000_000;
const KEY = 'n/a';
const UID = 'a-uid';
/** Why widgets are left to another operator. */
let leftAlone: string | undefined;
let store: Store;
let ledger: Ledger;
let reconciler: Reconciler;
let publish: Publish;
let signalled: Observation[];
/** Runs while a signal is under way: Temporal has it, and the bridge does not know yet. */
let underWay: () => Promise<void>;
let events: string[];
/** What the bridge wrote to the object by itself, or by a view. */
let written: string[];
/** Objects whose run is asked for its view. */
let repaired: string[];

beforeEach(async () => {
  leftAlone = undefined;
  [signalled, events, written, repaired] = [[], [], [], []];
  underWay = async () => undefined;
  store = createStore();
  ledger = createLedger();
  const binding: Binding = {
    ...widgetBinding,
    async note() {
      written.push('note');
      return undefined;
    },
    async completeFirst() {
      written.push('first');
      return undefined;
    },
  };
  const announce = async ({ event }: { readonly event: { readonly message: string } }) =>
    events.push(event.message) > 0;
  const kind = { binding, store, ledger, now: () => NOW };
  reconciler = aReconciler(kind, {
    signals: {
      async observe(_, observation) {
        signalled.push(observation);
        await underWay();
        return 'run-1';
      },
      vanish: async () => false,
      ask: async () => ({ kind: 'none' }),
    },
    announce,
    repair: (_, key) => void repaired.push(key),
    whyLeftAlone: () => leftAlone,
  });
  publish = aPublish(kind, {
    write: async () => {
      written.push('view');
      return { kind: 'written', at: NOW };
    },
    announce,
    isLeftAlone: () => leftAlone !== undefined,
  });
  store.put(WIDGET, aWidget('a'));
  await reconciler.reconcile(KEY);
  written = [];
});

/** The view of the run after its last snapshot. */
const published = (view: Partial<EntityView> = {}): Promise<PublishAnswer> => {
  const { order } = signalled.at(-1) ?? {};
  if (order === undefined) throw new Error('nothing was signalled');
  const { namespace, name, uid } = aWidget('a');
  const whole = {
    kind: 'Widget',
    namespace,
    name,
    uid,
    generation: 0,
    run: 'run-1',
    revision: 1,
    at: NOW,
    waitingFor: '',
    shown: {},
  };
  return publish({ ...whole, order, ...view }, { kind: 'workflow' });
};
const OTHER = 'another operator runs, too';
/** Another operator begins. */
async function begins(): Promise<void> {
  leftAlone = OTHER;
  await reconciler.reconcile(KEY);
}

describe('an object that is left to another operator', () => {
  test('has its run begin anew once, and says why; nothing is written to it', async () => {
    await begins();
    await reconciler.reconcile(KEY);
    expect(signalled.map(({ anew }) => anew)).toEqual([undefined, true]);
    expect(events).toEqual([OTHER]);
    expect(await published()).toEqual({ kind: 'superseded' });
    expect(written).toEqual([]);
  });

  test('has its run begin anew for another reason as well', async () => {
    ledger.of(UID).anew = { reset: 'run-1' };
    await begins();
    expect(signalled.at(-1)).toMatchObject({ anew: true, reset: 'run-1' });
  });

  test('has its run get the snapshot that it asks for', async () => {
    await begins();
    expect(await published({ behind: 'deploy: it is left to another operator' })).toEqual({ kind: 'behind' });
    await reconciler.reconcile(KEY);
    expect(signalled.map(({ anew }) => anew)).toEqual([undefined, true, true]);
  });

  test('is not compared with what was last written to it', async () => {
    const last = { run: 'run-1', revision: 1, viewAt: NOW, at: 0, resourceVersion: '0', status: 'of another time' };
    ledger.of(UID).written = { ...last, held: false, letGo: false, own: {} };
    await reconciler.reconcile(KEY);
    expect(repaired).toEqual([KEY]);
    await begins();
    expect(repaired).toEqual([KEY]);
  });
});

describe('when the other operator has ended, an object', () => {
  beforeEach(async () => {
    await begins();
    leftAlone = undefined;
  });

  test('is not written before its run has begun anew from it', async () => {
    const { order } = signalled.at(-1) ?? {};
    expect(await published()).toEqual({ kind: 'superseded' });
    underWay = async () => expect(await published({ ...(order && { order }) })).toEqual({ kind: 'behind' });
    await reconciler.reconcile(KEY);
    expect(signalled.at(-1)).toMatchObject({ anew: true });
    expect(written).toEqual(['note', 'first']);
    expect(await published()).toMatchObject({ kind: 'published' });
  });

  test('is not written either when the signal to its run fails', async () => {
    underWay = async () => Promise.reject(new Error('Temporal does not answer'));
    const { order } = signalled.at(-1) ?? {};
    await expect(reconciler.reconcile(KEY)).rejects.toThrow('Temporal does not answer');
    expect(await published({ ...(order && { order }) })).toEqual({ kind: 'behind' });
    underWay = async () => undefined;
    await reconciler.reconcile(KEY);
    expect(signalled.at(-1)).toMatchObject({ anew: true });
    expect(await published()).toMatchObject({ kind: 'published' });
  });
});

test('a run that has begun anew before the bridge knows that its signal arrived goes on', async () => {
  ledger.of(UID).anew = {};
  const answers: PublishAnswer[] = [];
  underWay = async () => void answers.push(await published());
  await reconciler.reconcile(KEY);
  expect(answers).toMatchObject([{ kind: 'published' }]);
  expect(signalled.map(({ anew }) => anew)).toEqual([undefined, true]);
});
