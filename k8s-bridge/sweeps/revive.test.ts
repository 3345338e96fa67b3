import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createStore } from '../../kube/store.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import type { Controller } from '../controller.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createQueue } from '../watch/queue.ts';
import { createRevive, type Revive } from './revive.ts';

const signalled = (number: number) => ({ essence: 'a', order: { epoch: 1, number } });

let ledger: Ledger;
let revive: Revive;
let events: string[];
/** Called while Temporal is asked, before it answers that it knows no run. */
let meanwhile: () => void;

beforeEach(() => {
  ledger = createLedger();
  events = [];
  meanwhile = () => undefined;
  const store = createStore();
  store.put(WIDGET, aWidget('a'));
  const controller: Controller = {
    binding: widgetBinding,
    own: ownObjects(widgetBinding, store, ''),
    queue: createQueue({ concurrency: 1, onFailure: () => undefined }),
    ready: Promise.resolve(),
    isReady: () => true,
    reconciler: { reconcile: async () => undefined, inform: async () => true, vanished: () => undefined, vanishing: 0 },
  };
  const describeRun = async (): Promise<never> => {
    meanwhile();
    throw new WorkflowNotFoundError('not found', 'widget/n/a', undefined);
  };
  const client = {
    connection: { withDeadline: (_: number, call: () => unknown) => call() },
    workflow: { getHandle: () => ({ describe: describeRun }) },
  } as unknown as Client;
  revive = createRevive({
    client,
    controllers: new Map([['Widget', controller]]),
    ledger,
    announce: async ({ event }) => events.push(event.reason) > 0,
    onRestarted: () => undefined,
    log: pino({ level: 'silent' }),
  });
});

describe('an object without a run', () => {
  test('that had one gets an Event', async () => {
    ledger.of('a-uid').signalled = signalled(1);
    await revive('Widget', 'n/a');
    expect(events).toEqual(['WorkflowRestarted']);
  });

  test('that never had one is not', async () => {
    await revive('Widget', 'n/a');
    expect(events).toEqual([]);
  });

  test('whose first signal is sent while Temporal is asked is not, either', async () => {
    meanwhile = () => (ledger.of('a-uid').signalled = signalled(1));
    await revive('Widget', 'n/a');
    expect(events).toEqual([]);
  });
});
