import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { NodeObservation } from '../../../domain/host/memory/node-observed.ts';
import type { HostSnapshot } from '../../../domain/host/memory/snapshot.ts';
import type { HostView } from '../../../domain/host/report/view.ts';
import type { BridgeActivities } from '../../../k8s-bridge/publish.ts';
import {
  BRIDGE_TASK_QUEUE,
  hostObserved,
  hostVanished,
  hostView,
  nodeObserved,
} from '../../../workflows/host/messages.ts';

/** Publishes the view and answers queries with it from now on. */
export const show = defineSignal<[HostView]>('show');
/** Answers queries with the view without publishing it. */
export const know = defineSignal<[HostView]>('know');
export const finish = defineSignal('finish');

export interface Recorded {
  readonly snapshots: readonly HostSnapshot[];
  readonly answers: readonly string[];
  readonly vanished: readonly string[];
  readonly nodes: readonly NodeObservation[];
}
export const recorded = defineQuery<Recorded>('recorded');

const { publishHost } = proxyActivities<BridgeActivities>({
  taskQueue: BRIDGE_TASK_QUEUE,
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 1 },
});

/** Replaces a host's workflow: records its signals and shows the given views. */
export async function hostWorkflow(): Promise<void> {
  const snapshots: HostSnapshot[] = [];
  const answers: string[] = [];
  const vanished: string[] = [];
  const nodes: NodeObservation[] = [];
  const waiting: HostView[] = [];
  let known: HostView | undefined;
  let finished = false;
  setHandler(hostObserved, (snapshot) => void snapshots.push(snapshot));
  setHandler(hostVanished, ({ uid }) => void vanished.push(uid));
  setHandler(nodeObserved, (node) => void nodes.push(node));
  setHandler(hostView, () => known);
  setHandler(recorded, () => ({ snapshots, answers, vanished, nodes }));
  setHandler(know, (view) => {
    known = view;
  });
  setHandler(show, (view) => {
    known = view;
    waiting.push(view);
  });
  setHandler(finish, () => {
    finished = true;
  });
  while (!finished) {
    await condition(() => finished || waiting.length > 0);
    const view = waiting.shift();
    if (view !== undefined) answers.push((await publishHost({ view })).kind);
  }
}
