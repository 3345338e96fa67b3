import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { IronicRequests, IronicWaits } from '../activities/ironic/activities.ts';
import type { Activities } from '../activities/kinds.ts';
import type { ChoiceActivities } from '../k8s-bridge/choose-host/host-choice.ts';
import { withFailedAttempts } from './failed-attempt.ts';
import {
  BRIDGE_TASK_QUEUE,
  IRONIC_TASK_QUEUE,
  type LockActivities,
  MESSAGE_TASK_QUEUE,
  NODE_TASK_QUEUE,
  type PublishActivities,
  type ReviveActivities,
  type SteeringActivities,
  TASK_QUEUE,
  WAIT_TASK_QUEUE,
} from './messages.ts';

/** The only place with timeouts and retry policies. Every activity has a summary. */

/** After this time, another worker repeats the activity of a dead one; every activity sends a heartbeat every 5 s. */
const HEARTBEAT_TIMEOUT = '15 seconds';

/** A request or a few: short, with an effect, and never overlapped by the next one. */
const REQUEST: ActivityOptions = {
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * For activities that only watch. They have no limit: Ironic may be away for any time, and a machine may need any time
 * to boot. They are cancelled at once when no longer wanted, and dispatched again a heartbeat timeout after their
 * worker died. They are restarted before their duration exceeds the maximum of a Node timer.
 */
const WAIT: ActivityOptions = {
  taskQueue: WAIT_TASK_QUEUE,
  startToCloseTimeout: '20 days',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'TRY_CANCEL',
};

const IRONIC: ActivityOptions = { ...REQUEST, taskQueue: IRONIC_TASK_QUEUE };

/**
 * They go before all other requests to Ironic, also before those of operations, which have 2 of 5
 * (workflows/life/operation.ts): a queue full of deployments must not keep a server on, or a host from being deleted.
 */
const FIRST: ActivityOptions = { ...IRONIC, priority: { priorityKey: 1 } };

const PUBLISH: ActivityOptions = {
  taskQueue: BRIDGE_TASK_QUEUE,
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** Makes the proxy for one call; `summary` is shown in the Web UI. */
const proxy =
  <Activities>(options: ActivityOptions): ((summary: string) => Activities) =>
  (summary) =>
    proxyActivities<Activities>({ ...options, summary }) as Activities;

/** The same for requests to Ironic and for waits for its nodes. */
const proxyOfIronic =
  <Activities extends object>(options: ActivityOptions): ((summary: string) => Activities) =>
  (summary) =>
    withFailedAttempts(proxy<Activities>(options)(summary));

/** Requests that power off (or on), abort or delete. */
type FirstRequests = Pick<IronicRequests, 'setPower' | 'abortNode' | 'deleteNode'>;

export const ironic = proxyOfIronic<Omit<IronicRequests, keyof FirstRequests>>(IRONIC);
export const ironicFirst = proxyOfIronic<FirstRequests>(FIRST);
/** The activities that only wait. */
export const waiting = proxyOfIronic<Pick<IronicWaits, 'waitForNode'>>(WAIT);
/** The next list of Ironic's nodes. */
export const listing = proxy<Pick<IronicWaits, 'busyNodes'>>({ ...REQUEST, taskQueue: WAIT_TASK_QUEUE });
/** The other short activities: in the API server and in workload clusters, and messages to other runs. */
export const requests = proxy<Activities['requests']>(REQUEST);

/** Deletes the node of a host that goes whether Ironic answers or not. */
export const discarding = proxyOfIronic<Pick<IronicRequests, 'deleteNode'>>({
  ...FIRST,
  scheduleToCloseTimeout: '20 seconds',
});

/**
 * Activities for updates: they fail after a time limit, because a run is not continued as new before its updates have
 * ended.
 */
export const answering = proxy<Activities['requests']>({ ...REQUEST, scheduleToCloseTimeout: '2 minutes' });

/**
 * Activities that claim a host, or release it, through the host's own workflow. They wait for activities of that
 * workflow, so they must not use the same worker slots.
 */
export const hostRequests = proxy<Activities['messages']>({ ...REQUEST, taskQueue: MESSAGE_TASK_QUEUE });

/** Waits in workload clusters, for Nodes, Pods and volumes. */
export const awaiting = proxy<Activities['nodeWaits']>({ ...WAIT, taskQueue: NODE_TASK_QUEUE });

/** Activities for messages of people, who wait for the answer. */
export const steering = proxy<SteeringActivities>({ ...PUBLISH, scheduleToCloseTimeout: '1 minute' });

/** Activities for messages that a machine forwards to its host. The run of the host writes the answer. */
export const forwarding = proxy<Activities['messages']>({
  ...REQUEST,
  taskQueue: MESSAGE_TASK_QUEUE,
  scheduleToCloseTimeout: '1 minute',
});

/** What a lock asks about hosts. */
export const objects = proxy<LockActivities>(PUBLISH);
export const bridge = proxy<PublishActivities & ReviveActivities & ChoiceActivities>(PUBLISH);
