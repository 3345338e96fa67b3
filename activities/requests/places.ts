import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { LOCKS, type LockName } from '../../domain/lock/policy.ts';
import { LOCK_WORKFLOW_TYPE, placeRequested } from '../../workflows/lock/messages.ts';
import { LONG_TASK_TIMEOUT, TASK_QUEUE } from '../../workflows/messages.ts';
import type { ActivityCall } from '../ironic/context.ts';

const DEADLINE_MS = 10_000;
/** Concurrent signals from one process; Temporal accepts the signals of a workflow one after the other. */
const AT_ONCE = 5;

export interface PlaceActivities {
  /** Sends the request to the run of the lock and starts it if needed. Idempotent by the request's ticket. */
  askForPlace(input: { readonly lock: LockName; readonly request: PlaceRequest }): Promise<void>;
}

/** How a lock is asked. An activity sends the request, because a workflow cannot start another one by a signal. */
export interface LockMessages {
  ask(lock: LockName, request: PlaceRequest, signal: AbortSignal): Promise<unknown>;
}

interface PlaceDeps {
  readonly messages: LockMessages;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createPlaceActivities = ({ messages, currentCall }: PlaceDeps): PlaceActivities => ({
  askForPlace: async ({ lock, request }) => void (await messages.ask(lock, request, currentCall().signal)),
});

export function createLockMessages(client: Client): LockMessages {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return {
    ask: (lock, request, signal) => queue.add(() => ask(client, lock, request), { signal }),
  };
}

function ask(client: Client, lock: LockName, request: PlaceRequest): Promise<unknown> {
  const { workflowId, policy, summary } = LOCKS[lock];
  return client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(LOCK_WORKFLOW_TYPE, {
      workflowId,
      taskQueue: TASK_QUEUE,
      workflowTaskTimeout: LONG_TASK_TIMEOUT,
      args: [{ name: lock, policy }],
      signal: placeRequested,
      signalArgs: [request],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summary,
    }),
  );
}
