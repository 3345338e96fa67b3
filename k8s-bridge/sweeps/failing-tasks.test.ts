import proto from '@temporalio/proto';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createStore, type Store } from '../../kube/store.ts';
import { aWidget, WIDGET, widgetBinding } from '../../test/builders/widget.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createFailingTasksSweep, ENDINGS, LOOKS } from './failing-tasks.ts';

const {
  WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
  WORKFLOW_TASK_FAILED_CAUSE_BAD_UPDATE_WORKFLOW_EXECUTION_MESSAGE,
} = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** A run that Temporal lists as failing, as Temporal has it now. */
interface Run {
  readonly workflowId: string;
  readonly runId: string;
  /** Of the pending workflow task; undefined: none is pending. */
  readonly attempt: number | undefined;
  /** Latest first. */
  readonly events: readonly object[];
}

const failed = (failure: object) => ({ workflowTaskFailedEventAttributes: failure });
const notReplayed = failed({
  cause: WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
  failure: { message: 'not as it was' },
});
/** As a run with a claim was found after its workers were killed. */
const withoutAnswer = failed({
  cause: WORKFLOW_TASK_FAILED_CAUSE_BAD_UPDATE_WORKFLOW_EXECUTION_MESSAGE,
  failure: {
    message:
      'BadUpdateWorkflowExecutionMessage: ProtocolMessageCommand referenced absent message ID a/request/complete',
  },
});
const aRun = (workflowId: string, change: Partial<Run> = {}): Run => ({
  workflowId,
  runId: `run of ${workflowId}`,
  attempt: 6,
  events: [failed({ failure: { message: 'a mistake' } })],
  ...change,
});
const ofWidgets = (count: number, change: Partial<Run> = {}): Run[] =>
  Array.from({ length: count }, (_, at) => {
    store.put(WIDGET, aWidget(`w${at}`));
    return aRun(`widget/n/w${at}`, change);
  });
const aPoller = (secondsAgo: number) => ({ lastAccessTime: { seconds: Date.now() / 1_000 - secondsAgo } });

let store: Store;
let ledger: Ledger;
let reported: readonly Run[];
let capabilities: { readonly reportedProblemsSearchAttribute?: boolean };
/** Those that Temporal lists for the task queue. */
let pollers: readonly object[];
/** Workflow ids of the runs that were described, and of those that were ended. */
let described: string[];
let ended: string[];
/** Names of objects with an Event, one for each. */
let announced: string[];
/** Messages of the conditions, with the name of their object; '': removed. */
let marked: [string, string][];
/** Somebody else writes to the objects. */
let isContended: boolean;
let counts: number[];
let locks: number[];
/** Looks at the bridge's interval. */
let look: () => Promise<void>;

beforeEach(() => {
  [store, ledger, reported, described, ended] = [createStore(), createLedger(), [], [], []];
  [announced, marked, isContended, counts, locks, pollers] = [[], [], false, [], [], [aPoller(30)]];
  capabilities = { reportedProblemsSearchAttribute: true };
  const runOf = (id: string): Run => reported.find(({ workflowId }) => workflowId === id) as Run;
  const client = {
    options: { namespace: 'default', loadedDataConverter: { payloadCodecs: [] } },
    connection: { withDeadline: (_: number, call: () => unknown) => call() },
    workflow: {
      list: async function* () {
        yield* reported;
      },
      getHandle: (workflowId: string, runId: string) => ({
        describe: async () => {
          described.push(workflowId);
          const { attempt } = runOf(workflowId);
          const raw = { pendingWorkflowTask: attempt === undefined ? null : { attempt } };
          return { status: { name: 'RUNNING' }, raw, runId, taskQueue: 'temper' };
        },
        terminate: async () => void ended.push(workflowId),
      }),
    },
    workflowService: {
      describeNamespace: async () => ({ namespaceInfo: { capabilities } }),
      getWorkflowExecutionHistoryReverse: async ({ execution }: { execution: Run }) => ({
        history: { events: runOf(execution.workflowId).events },
      }),
      describeTaskQueue: async () => ({ pollers }),
    },
  };
  const controller = { binding: widgetBinding, own: ownObjects(widgetBinding, store, ''), isReady: () => true };
  const sweep = createFailingTasksSweep({
    client: client as never,
    controllers: new Map([['Widget', controller]]) as never,
    watches: (namespace) => namespace === 'n',
    stores: store,
    ledger,
    announce: async ({ object }) => announced.push(object.name) > 0,
    markCondition: async (_, { name }, { condition }) =>
      marked.push([name, condition?.message ?? '']) > 0 && !isContended,
    onFailing: (kind, count) => void (kind === 'Widget' ? counts : locks).push(count),
    log: pino({ level: 'silent' }),
  });
  look = () => sweep(new AbortController().signal);
});

const saying = (message: string): unknown => expect.stringContaining(message);

describe('failing workflow tasks', () => {
  test('of an operation are found at once, however many objects there are', async () => {
    for (let at = 0; at < 2_000; at++) store.put(WIDGET, aWidget(`w${at}`));
    reported = [aRun('widget/n/w1999/paint/3')];
    await look();
    expect(described).toEqual(['widget/n/w1999/paint/3']);
    expect(marked).toEqual([['w1999', saying('widget/n/w1999/paint/3: a mistake')]]);
    expect(counts).toEqual([1]);
  });

  test('of slots and budgets, which have no object, are counted', async () => {
    reported = [aRun('ironic-capacity/default')];
    await look();
    reported = [];
    await look();
    expect({ counts, locks }).toEqual({ counts: [0, 0], locks: [1, 0] });
  });

  test('that succeed again are shown no more, although an earlier bridge has shown them', async () => {
    const { object, ...entry } = aWidget('mended');
    const status = { conditions: [{ type: 'WorkflowFailing', status: 'True' }] };
    store.put(WIDGET, { ...entry, object: { ...(object as object), status } });
    store.put(WIDGET, aWidget('other'));
    await look();
    expect({ marked, described }).toEqual({ marked: [['mended', '']], described: [] });
  });

  test('are missed when Temporal does not report them, and the log says what it needs', async () => {
    store.put(WIDGET, aWidget('w'));
    capabilities = {};
    await expect(look()).rejects.toThrow(/1\.30 or later, .* system\.numConsecutiveWorkflowTaskProblems/);
    expect(counts).toEqual([]);
  });

  test('of more objects than a sweep looks at are all counted at once, and looked at in turn', async () => {
    reported = ofWidgets(2 * LOOKS + 1);
    await look();
    expect([new Set(described).size, counts]).toEqual([LOOKS, [2 * LOOKS + 1]]);
    await look();
    await look();
    expect(new Set(described).size).toBe(2 * LOOKS + 1);
    expect([...announced].sort()).toEqual(marked.map(([name]) => name).sort());
    expect(new Set(announced).size).toBe(2 * LOOKS + 1);
    described = [];
    for (const _ of [4, 5, 6]) await look();
    expect(new Set(described).size).toBe(2 * LOOKS + 1);
  });

  test('that fail as before lead to no request to the API server', async () => {
    reported = ofWidgets(1);
    await look();
    await look();
    expect([announced, marked]).toEqual([['w0'], [['w0', saying('a mistake')]]]);
    reported = [aRun('widget/n/w0', { events: [failed({ failure: { message: 'another mistake' } })] })];
    await look();
    expect([announced, marked.slice(1)]).toEqual([['w0'], [['w0', saying('another mistake')]]]);
  });

  test('are marked again when others take the condition away', async () => {
    reported = ofWidgets(1);
    await look();
    const [[, message] = []] = marked;
    for (const conditions of [[{ type: 'WorkflowFailing', message }], []]) {
      const { object, ...entry } = aWidget('w0');
      store.put(WIDGET, { ...entry, resourceVersion: '2', object: { ...(object as object), status: { conditions } } });
      marked = [];
      await look();
      expect(marked).toEqual(conditions.length > 0 ? [] : [['w0', message]]);
    }
  });

  test('are marked in the next sweep when somebody else wrote at the same time', async () => {
    reported = ofWidgets(1);
    isContended = true;
    await look();
    isContended = false;
    await look();
    await look();
    expect(marked.map(([name]) => name)).toEqual(['w0', 'w0']);
  });

  test('that are listed, but have succeeded since, lead to nothing', async () => {
    const success = { workflowTaskCompletedEventAttributes: {} };
    reported = [
      ...ofWidgets(1, { attempt: undefined, events: [notReplayed] }),
      aRun('widget/n/w0/paint/3', { attempt: 1, events: [{ workflowTaskScheduledEventAttributes: {} }, success] }),
    ];
    await look();
    expect({ described, ended, announced, marked, counts }).toEqual({
      described: ['widget/n/w0', 'widget/n/w0/paint/3'],
      ended: [],
      announced: [],
      marked: [],
      counts: [0],
    });
  });
});

describe('a run that can not be replayed', () => {
  test('is ended, and so is an operation', async () => {
    reported = [
      ...ofWidgets(1, { events: [notReplayed] }),
      aRun('widget/n/w0/paint/3', { events: [{ workflowExecutionSignaledEventAttributes: {} }, notReplayed] }),
    ];
    await look();
    expect(ended).toEqual(['widget/n/w0', 'widget/n/w0/paint/3']);
    expect(announced).toEqual(['w0']);
  });

  test('is ended when each replay leaves an update without its answer', async () => {
    reported = ofWidgets(1, { events: [withoutAnswer] });
    await look();
    expect(ended).toEqual(['widget/n/w0']);
  });

  test.each([
    ['is ended when its object is gone', 'widget/n/gone', ['widget/n/gone']],
    ['is ended when it is an operation on an object that is gone', 'widget/n/gone/paint/3', ['widget/n/gone/paint/3']],
    ['is left alone in a namespace of another bridge', 'widget/other/gone', []],
    ['is left alone when it is of another kind', 'gadget/n/gone', []],
  ])('%s', async (_, workflowId, expected) => {
    reported = [aRun(workflowId, { events: [notReplayed] })];
    await look();
    expect({ ended, announced, counts }).toEqual({ ended: expected, announced: [], counts: [0] });
  });

  test('is one of a few that are ended per sweep, so that a release can be taken back before all are', async () => {
    reported = ofWidgets(3 * ENDINGS, { events: [notReplayed] });
    await look();
    expect([ended.length, marked.length, counts]).toEqual([ENDINGS, 3 * ENDINGS, [3 * ENDINGS]]);
    reported = reported.filter(({ workflowId }) => !ended.includes(workflowId));
    await look();
    expect(ended).toHaveLength(2 * ENDINGS);
  });

  const timedOut = { workflowTaskTimedOutEventAttributes: {} };
  test.each<[string, Partial<Run>]>([
    ['whose task is in its fifth attempt, whatever makes Temporal report it', { attempt: 5 }],
    ['whose task began anew after a signal', { attempt: 1 }],
    ['whose task failed in another way', { events: [failed({ failure: { message: 'a mistake' } })] }],
    ['of which an earlier task failed', { events: [{ workflowTaskScheduledEventAttributes: {} }, notReplayed] }],
  ])('%s is shown only', async (_, change) => {
    reported = ofWidgets(1, { events: [notReplayed], ...change });
    await look();
    expect({ ended, announced, counts }).toEqual({ ended: [], announced: ['w0'], counts: [1] });
  });

  test.each([
    ['is late', 5, { ended: [], announced: [], counts: [0] }],
    ['is shown', 8, { ended: [], announced: ['w0'], counts: [1] }],
    ['is ended', 9, { ended: ['widget/n/w0'], announced: ['w0'], counts: [1] }],
  ])('whose task timed out first, which hides later failures, %s in attempt %i', async (_, attempt, expected) => {
    reported = ofWidgets(1, { attempt, events: [timedOut, notReplayed] });
    await look();
    expect({ ended, announced, counts }).toEqual(expected);
  });

  test('waits while no worker asks for tasks', async () => {
    reported = ofWidgets(1, { events: [notReplayed] });
    pollers = [aPoller(120)];
    await look();
    expect({ ended, announced }).toEqual({ ended: [], announced: ['w0'] });
    pollers = [aPoller(120), aPoller(10)];
    await look();
    expect(ended).toEqual(['widget/n/w0']);
  });
});
