import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import type { Kube } from '../../kube/client.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import { createRestore, type Restore } from '../lease/restore.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { createWrite, type Write } from './write.ts';

let store: Store;
let ledger: Ledger;
let restore: Restore;
let write: Write;
/** The version that the API server has. */
let present: string;
let patches: number;

beforeEach(() => {
  store = createStore();
  ledger = createLedger();
  restore = createRestore();
  [present, patches] = ['5', 0];
  const { object: widget, ...metadata } = aWidget('a');
  const object = () => ({ ...(widget as object), metadata: { ...metadata, resourceVersion: present } });
  const kube = {
    find: async () => object(),
    patch: async () => {
      patches += 1;
      return object();
    },
  } as unknown as Kube;
  const log = pino({ level: 'silent' });
  const announce = async (): Promise<boolean> => true;
  write = createWrite({
    kube,
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
  status: { colour: 'blue' },
};
const cached = (resourceVersion: string): void => store.put(WIDGET, { ...aWidget('a'), resourceVersion });

describe('after etcd was restored', () => {
  test('nothing is written any more once it was noticed', async () => {
    cached('5');
    restore.notice();
    await expect(write(view, widgetBinding, true)).rejects.toThrow('etcd was restored');
    expect(patches).toBe(0);
  });

  test.each([
    ['the watch has delivered', async () => cached('9')],
    [
      'this bridge has written',
      async () => {
        present = '9';
        await write(view, widgetBinding, false);
        patches = 0;
        present = '5';
      },
    ],
  ])('an object that is older than the one that %s is not written to, and shows the restore', async (_, begin) => {
    await begin();
    await expect(write(view, widgetBinding, false)).rejects.toThrow('etcd was restored');
    expect({ patches, isNoticed: restore.noticed.aborted }).toEqual({ patches: 0, isNoticed: true });
  });

  test('an object that is newer than the one that the watch has delivered is written to', async () => {
    cached('4');
    expect(await write(view, widgetBinding, false)).toEqual({ kind: 'written', at: 0 });
    expect({ patches, isNoticed: restore.noticed.aborted }).toEqual({ patches: 1, isNoticed: false });
  });
});
