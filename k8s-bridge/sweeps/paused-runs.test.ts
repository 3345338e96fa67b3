import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import type { BridgeEvent } from '../binding.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createPausedRunsSweep, type PausedRunsSweep, REPORTS } from './paused-runs.ts';

let store: Store;
/** Ids of workflows with a paused run. */
let paused: readonly string[];
let capabilities: { readonly workflowPause?: boolean };
let lists: number;
let events: (BridgeEvent & { readonly name: string })[];
let counts: number[];
let sweep: PausedRunsSweep;
/** `object: message` of the condition Ready, as it was written. */
let marks: string[];
let isConflicted: boolean;
/** Name of an object whose status may not be written. */
let forbidden: string;
let isLeftAlone: boolean;
let repairs: string[];
let ledger: Ledger;

beforeEach(() => {
  [marks, isConflicted, forbidden, repairs, isLeftAlone] = [[], false, '', [], false];
  [store, paused, capabilities, lists, events, counts] = [createStore(), [], { workflowPause: true }, 0, [], []];
  ledger = createLedger();
  const client = {
    options: { namespace: 'default' },
    connection: { withDeadline: (_: number, call: () => unknown) => call() },
    workflow: {
      list: async function* () {
        lists += 1;
        yield* paused.map((workflowId) => ({ workflowId, runId: `run of ${workflowId}` }));
      },
      getHandle: () => ({
        describe: async () => ({
          raw: {
            workflowExtendedInfo: { pauseInfo: { identity: 'ada', reason: 'a\nlook', pausedTime: { seconds: 60 } } },
          },
        }),
      }),
    },
    workflowService: { describeNamespace: async () => ({ namespaceInfo: { capabilities } }) },
  };
  const binding = { ...widgetBinding, isLeftAlone: () => isLeftAlone };
  const controller = { binding, own: ownObjects(widgetBinding, store, ''), isReady: () => true };
  const hosts = { ...widgetBinding, followed: KINDS.host };
  const hostController = { binding: hosts, own: ownObjects(hosts, store, ''), isReady: () => true };
  sweep = createPausedRunsSweep({
    client: client as never,
    temporalCommand: 'npx temper temporal',
    controllers: new Map<string, object>([
      ['Widget', controller],
      ['BareMetalHost', hostController],
    ]) as never,
    ledger,
    markCondition: async (_, { name }, { type, ready = '' }) => {
      if (name === forbidden) throw new Error('a policy forbids it');
      marks.push(`${name}: ${type}: ${ready}`);
      return !isConflicted;
    },
    repair: (_, key) => void repairs.push(key),
    announce: async ({ object, event }) => events.push({ ...event, name: object.name }) > 0,
    onPaused: (kind, count) => void (kind === 'Widget' && counts.push(count)),
    log: pino({ level: 'silent' }),
  });
});

describe('runs that a person has paused in Temporal', () => {
  test('are told once, with who, why and what ends it, and again when it has ended', async () => {
    store.put(WIDGET, aWidget('w'));
    paused = ['widget/n/w'];
    await sweep.look();
    await sweep.look();
    expect(events).toEqual([
      {
        name: 'w',
        id: 'paused/run of widget/n/w/1970-01-01T00:01:00Z',
        type: 'Warning',
        reason: 'WorkflowPaused',
        message:
          'The run widget/n/w was paused in Temporal by ada: a look. Nothing is done for the Widget meanwhile, and its ' +
          'status may be outdated. It goes on after: npx temper temporal workflow unpause --workflow-id widget/n/w',
      },
    ]);
    paused = [];
    await sweep.look();
    expect(events.slice(1)).toMatchObject([{ name: 'w', type: 'Normal', reason: 'WorkflowUnpaused' }]);
    expect([counts, sweep.size]).toEqual([[1, 1, 0], 0]);
  });

  test('count for their object when they are operations on it, and not without an object', async () => {
    store.put(WIDGET, aWidget('w'));
    paused = ['widget/n/w/paint/3', 'widget/n/gone', 'gadget/n/w'];
    await sweep.look();
    expect(events.map(({ name, message }) => [name, message.slice(0, 26)])).toEqual([
      ['w', 'The run widget/n/w/paint/3'],
    ]);
    expect(counts).toEqual([1]);
  });

  test('are told of an object that is left to another operator only when that has ended', async () => {
    const widget = aWidget('w');
    store.put(WIDGET, widget);
    const left = ledger.of(widget.uid);
    left.leftAlone = 'another operator runs, too';
    paused = ['widget/n/w'];
    await sweep.look();
    expect([events, marks, counts]).toEqual([[], [], [1]]);
    left.leftAlone = undefined;
    await sweep.look();
    expect(events).toMatchObject([{ reason: 'WorkflowPaused' }]);
    left.leftAlone = 'another operator runs, too';
    paused = [];
    await sweep.look();
    expect(events).toHaveLength(1);
  });

  test('are shown by a condition of the object and by its Ready, until all of them go on', async () => {
    store.put(WIDGET, aWidget('w'));
    paused = ['widget/n/w/paint/3', 'widget/n/w'];
    await sweep.look();
    await sweep.look();
    expect(marks).toEqual([expect.stringMatching(/^w: WorkflowPaused: The run widget\/n\/w was paused/)]);
    paused = ['widget/n/w/paint/3'];
    await sweep.look();
    expect(marks.slice(1)).toEqual([
      expect.stringMatching(/^w: WorkflowPaused: The run widget\/n\/w\/paint\/3 was paused/),
    ]);
    expect(repairs).toEqual([]);
    paused = [];
    await sweep.look();
    await sweep.look();
    expect([marks.length, repairs]).toEqual([2, ['n/w']]);
  });

  test('are shown by the next look when somebody else writes the object at that moment', async () => {
    store.put(WIDGET, aWidget('w'));
    paused = ['widget/n/w'];
    isConflicted = true;
    await sweep.look();
    isConflicted = false;
    await sweep.look();
    await sweep.look();
    expect(marks).toHaveLength(2);
  });

  test('are shown again on a host whose spec changes meanwhile, until that is shown too', async () => {
    const host = (generation: number, ...conditions: readonly object[]) => {
      const { object, ...entry } = aWidget('w', { generation });
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const ready = { type: 'Ready', status: 'True', observedGeneration: 1, lastTransitionTime };
      store.put(KINDS.host, {
        ...entry,
        object: { ...(object as object), status: { conditions: [ready, ...conditions] } },
      });
    };
    paused = ['baremetalhost/n/w'];
    host(1);
    await sweep.look();
    await sweep.look();
    expect(marks).toHaveLength(1);
    host(2);
    await sweep.look();
    expect(marks).toHaveLength(2);
    host(2, { type: 'Reconciling', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' });
    await sweep.look();
    expect(marks).toHaveLength(2);
  });

  test('are not shown on an object that is left alone, until it is not any more', async () => {
    store.put(WIDGET, aWidget('w'));
    paused = ['widget/n/w'];
    isLeftAlone = true;
    await sweep.look();
    expect(marks).toEqual([]);
    isLeftAlone = false;
    await sweep.look();
    await sweep.look();
    expect(marks).toEqual([expect.stringMatching(/^w: WorkflowPaused: /)]);
  });

  test('are shown although the object of another one may not be written', async () => {
    for (const name of ['a', 'b']) store.put(WIDGET, aWidget(name));
    paused = ['widget/n/a', 'widget/n/b'];
    forbidden = 'a';
    await sweep.look();
    expect(marks).toEqual([expect.stringMatching(/^b: WorkflowPaused: /)]);
    expect(counts).toEqual([2]);
  });

  test('are told in turn when they are many, and are all counted at once', async () => {
    for (let at = 0; at <= REPORTS; at++) store.put(WIDGET, aWidget(`w${at}`));
    paused = Array.from({ length: REPORTS + 1 }, (_, at) => `widget/n/w${at}`);
    await sweep.look();
    expect([events.length, counts]).toEqual([REPORTS, [REPORTS + 1]]);
    await sweep.look();
    expect(new Set(events.map(({ name }) => name)).size).toBe(REPORTS + 1);
  });

  test('are not asked for where Temporal can not pause', async () => {
    capabilities = {};
    await sweep.look();
    expect([lists, counts]).toEqual([0, []]);
  });
});
