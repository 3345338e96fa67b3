import {
  condition,
  defineQuery,
  defineSignal,
  executeChild,
  proxyActivities,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { FIRST, type Order } from '../../../domain/entity/order.ts';
import type { Observation } from '../../../domain/entity/seen.ts';
import type { EntityView } from '../../../domain/entity/view.ts';
import type { HostSnapshot } from '../../../domain/host/memory/snapshot.ts';
import type { NodeObservation } from '../../../domain/host/outcome/node-observed.ts';
import type { StuckObservation } from '../../../domain/usual-times/stuck.ts';
import {
  BRIDGE_TASK_QUEUE,
  nodeObserved,
  observed,
  type PublishActivities,
  stuckObserved,
  vanished as vanishedSignal,
  view as viewQuery,
} from '../../../workflows/messages.ts';

/** A view as a test gives it. Run, order and time are those of the run that shows it, unless the test gives others. */
export type TestView = Omit<EntityView, 'order' | 'at'> & Partial<Pick<EntityView, 'order' | 'at'>>;

/** Hands the view over and answers queries with it from now on. */
export const show = defineSignal<[TestView]>('show');
/** Answers queries with it, and hands nothing over. */
export const know = defineSignal<[TestView]>('know');
export const finish = defineSignal('finish');
/** Fails its workflow task from now on. */
export const breakDown = defineSignal('breakDown');

/** Does something that it does not do in a replay. */
export const diverge = defineSignal('diverge');

/** Begins an operation that fails its workflow task from then on. */
export const beginBroken = defineSignal('beginBroken');

/** Begins an operation that does what it will not do when it is replayed, and answers `ended` when it has ended. */
export const beginDiverging = defineSignal('beginDiverging');

export interface Recorded {
  readonly snapshots: readonly HostSnapshot[];
  /** The snapshots in the order of their arrival, with the data that came with them. */
  readonly observations: readonly Observation<HostSnapshot>[];
  readonly answers: readonly string[];
  readonly vanished: readonly string[];
  readonly nodes: readonly NodeObservation[];
  readonly stuck: readonly StuckObservation[];
}
export const recorded = defineQuery<Recorded>('recorded');

const { publish } = proxyActivities<PublishActivities>({
  taskQueue: BRIDGE_TASK_QUEUE,
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 1 },
});

export function brokenOperation(): Promise<void> {
  throw new TypeError('a mistake in the operation');
}

export async function divergingOperation(): Promise<void> {
  if (!workflowInfo().unsafe.isReplaying) void sleep('1 second');
  await condition(() => false);
}

/** Replaces a host's workflow: records its signals and shows the given views. */
export async function hostWorkflow(): Promise<void> {
  const observations: Observation<HostSnapshot>[] = [];
  const answers: string[] = [];
  const vanished: string[] = [];
  const nodes: NodeObservation[] = [];
  const stuck: StuckObservation[] = [];
  const waiting: EntityView[] = [];
  let known: EntityView | undefined;
  let order: Order = FIRST;
  let finished = false;
  const toView = (view: TestView): EntityView => ({ order, at: Date.now(), ...view });
  setHandler(observed, (observation) => {
    observations.push(observation as Observation<HostSnapshot>);
    order = observation.order;
    if (known !== undefined) known = { ...known, order };
  });
  setHandler(vanishedSignal, ({ uid }) => void vanished.push(uid));
  setHandler(nodeObserved, (node) => void nodes.push(node));
  setHandler(stuckObserved, (observation) => void stuck.push(observation));
  setHandler(viewQuery, () => known);
  setHandler(recorded, () => ({
    snapshots: observations.map(({ snapshot }) => snapshot),
    observations,
    answers,
    vanished,
    nodes,
    stuck,
  }));
  setHandler(know, (view) => {
    known = toView(view);
  });
  setHandler(show, (view) => {
    known = toView(view);
    waiting.push(known);
  });
  setHandler(finish, () => {
    finished = true;
  });
  setHandler(breakDown, () => {
    throw new TypeError('a mistake in the program');
  });
  setHandler(diverge, () => {
    if (!workflowInfo().unsafe.isReplaying) void sleep('1 hour');
  });
  setHandler(beginBroken, async () => {
    await startChild(brokenOperation, { workflowId: `${workflowInfo().workflowId}/provision`, args: [] });
  });
  setHandler(beginDiverging, async () => {
    const workflowId = `${workflowInfo().workflowId}/provision`;
    await executeChild(divergingOperation, { workflowId, args: [] }).catch(() => answers.push('ended'));
  });
  while (!finished) {
    await condition(() => finished || waiting.length > 0);
    const view = waiting.shift();
    if (view !== undefined) answers.push((await publish({ view })).kind);
  }
}
