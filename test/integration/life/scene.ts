import { randomBytes } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { KINDS } from '../../../api/kinds.ts';
import type { EntityView } from '../../../domain/entity/view.ts';
import type { HostSnapshot } from '../../../domain/host/memory/snapshot.ts';
import { connectTemporal } from '../../../platform/temporal/connection.ts';
import { LONG_ACTIVATIONS } from '../../../platform/temporal/long-activations.ts';
import { failedAttempts } from '../../../platform/temporal/worker.ts';
import { cachedBundle } from '../../../workers/bundle.ts';
import {
  BRIDGE_TASK_QUEUE,
  hostWorkflowId,
  IRONIC_TASK_QUEUE,
  observed,
  type PublishAnswer,
  TASK_QUEUE,
  taskTimeoutOf,
  WAIT_TASK_QUEUE,
} from '../../../workflows/messages.ts';
import { firstAttributes } from '../../../workflows/search-attributes.ts';
import { aSnapshot } from '../../builders/host.ts';
import { sharedControlPlane } from '../control-plane.ts';

type Activity = (input: never) => unknown;
const { PENDING_ACTIVITY_STATE_CANCEL_REQUESTED: CANCEL_REQUESTED } = proto.temporal.api.enums.v1.PendingActivityState;
type Answer = (view: EntityView) => PublishAnswer | Promise<PublishAnswer>;

export interface HostRun {
  readonly handle: WorkflowHandle;
  readonly snapshot: HostSnapshot;
  /** Views handed over so far. */
  readonly shown: readonly EntityView[];
  /** Sends the workflow a snapshot of the host, as a bridge does. */
  tell(change: Parameters<typeof aSnapshot>[0], anew?: true): Promise<void>;
  /** The current details of the run. */
  details(): Promise<string>;
  /** True while the run has not taken in all that it was sent, or ends its action to be continued as new. */
  isHearing(): Promise<boolean>;
  /** True when the run has taken in all that it was sent, and no activity of it is under way. */
  isAtRest(): Promise<boolean>;
  /** Workflow tasks that have failed. */
  failedTasks(): Promise<number>;
}

export interface LifeScene {
  readonly client: Client;
  /** Starts the workflow of a host of its own name. */
  aHost(change?: Parameters<typeof aSnapshot>[0]): Promise<HostRun>;
  /** What the bridge answers to views from now on; `published` before. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

/** The real workflow of hosts on a real server; the other side of its activities answers as a test says. */
export async function openLifeScene(activities: Readonly<Record<string, Activity>>): Promise<LifeScene> {
  const { temporalAddress: address, temporalNamespace: namespace } = sharedControlPlane();
  const client = new Client({ connection: await connectTemporal({ address }), namespace });
  const connection = await NativeConnection.connect({ address });
  const shown: EntityView[] = [];
  let answer: Answer = () => ({ kind: 'published' });
  const publish = ({ view }: { readonly view: EntityView }): Promise<PublishAnswer> | PublishAnswer => {
    shown.push(view);
    return answer(view);
  };
  const workers = await Promise.all([
    Worker.create({
      ...LONG_ACTIVATIONS,
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await cachedBundle(),
      activities,
    }),
    ...[IRONIC_TASK_QUEUE, WAIT_TASK_QUEUE].map((taskQueue) =>
      Worker.create({
        connection,
        namespace,
        taskQueue,
        activities,
        interceptors: { activity: [() => ({ inbound: failedAttempts })] },
      }),
    ),
    Worker.create({ connection, namespace, taskQueue: BRIDGE_TASK_QUEUE, activities: { ...activities, publish } }),
  ]);
  const working = Promise.all(workers.map((worker) => worker.run()));

  return {
    client,
    answerWith(next) {
      answer = next;
    },
    async aHost(change = {}) {
      const snapshot = aSnapshot({ ...change, name: `life-${randomBytes(4).toString('hex')}` });
      let number = 1;
      const handle = await client.workflow.signalWithStart(KINDS.host.workflow.type, {
        workflowId: hostWorkflowId(snapshot),
        taskQueue: TASK_QUEUE,
        workflowTaskTimeout: taskTimeoutOf(KINDS.host.workflow),
        typedSearchAttributes: firstAttributes(KINDS.host, snapshot.namespace),
        args: [{ options: {} }],
        signal: observed,
        signalArgs: [{ snapshot, order: { epoch: 1, number } }],
      });
      return {
        handle,
        snapshot,
        get shown() {
          return shown.filter(({ name }) => name === snapshot.name);
        },
        async tell(news, anew) {
          number += 1;
          const next = aSnapshot({ ...change, ...news, name: snapshot.name, resourceVersion: `${100 + number}` });
          await handle.signal(observed, { snapshot: next, order: { epoch: 1, number }, ...(anew && { anew }) });
        },
        async details() {
          const metadata = await handle.query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata');
          return metadata.currentDetails ?? '';
        },
        async isHearing() {
          const { raw } = await handle.describe();
          const isEnding = (raw.pendingActivities ?? []).some(({ state }) => state === CANCEL_REQUESTED);
          return raw.pendingWorkflowTask != null || isEnding;
        },
        async isAtRest() {
          const { raw } = await handle.describe();
          return raw.pendingWorkflowTask == null && (raw.pendingActivities ?? []).length === 0;
        },
        async failedTasks() {
          const { events } = await handle.fetchHistory();
          return (events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
        },
      };
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await working;
      await Promise.all([connection.close(), client.connection.close()]);
    },
  };
}
