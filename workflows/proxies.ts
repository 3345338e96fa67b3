import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { IronicActivities } from '../activities/ironic/activities.ts';
import type { KubernetesActivities } from '../activities/kubernetes/activities.ts';
import type { DataClaimTaskActivities } from '../activities/kubernetes/data/claims.ts';
import type { DataActivities } from '../activities/kubernetes/data/data.ts';
import type { SlotActivities } from '../activities/requests/ask-for-slot.ts';
import type { HostRequestActivities } from '../activities/requests/request-host.ts';
import type { WorkloadActivities } from '../activities/workload/nodes.ts';
import type { EntityActivities } from '../k8s-bridge/entities/entities.ts';
import type { ChoiceActivities } from '../k8s-bridge/machines/host-choice.ts';
import type { BridgeActivities } from '../k8s-bridge/publish.ts';
import { BRIDGE_TASK_QUEUE, TASK_QUEUE, WAIT_TASK_QUEUE } from './host/messages.ts';

/** The only place with timeouts and retry policies. Every activity is called with a summary in words. */

/** What a worker was doing when it died is done by another one after this long; every activity beats every 5 s. */
const HEARTBEAT_TIMEOUT = '15 seconds';

/** A request or a few: short, changes something, and is never overlapped by what comes after it. */
const REQUEST: ActivityOptions = {
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** Longest time Ironic may take over one step (its own limits are shorter); after that the step has failed. */
export const STEP_DEADLINE = '3 hours';

/** Only watches: given up at once when no longer wanted, dispatched anew a heartbeat timeout after its worker died. */
const WAIT: ActivityOptions = {
  taskQueue: WAIT_TASK_QUEUE,
  scheduleToCloseTimeout: STEP_DEADLINE,
  startToCloseTimeout: STEP_DEADLINE,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 1 },
  cancellationType: 'TRY_CANCEL',
};

/** As long as it takes: a machine may need any time to boot. Begun anew before the days are more than a timer of Node counts. */
const PATIENT: ActivityOptions = {
  taskQueue: WAIT_TASK_QUEUE,
  startToCloseTimeout: '20 days',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'TRY_CANCEL',
};

const PUBLISH: ActivityOptions = {
  taskQueue: BRIDGE_TASK_QUEUE,
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** The activities of Ironic; `summary` is what people read beside each call. */
export const ironic = (summary: string): IronicActivities => proxyActivities<IronicActivities>({ ...REQUEST, summary });

/** The activities that only wait. */
export const waiting = (summary: string): Pick<IronicActivities, 'waitForNode'> =>
  proxyActivities<Pick<IronicActivities, 'waitForNode'>>({ ...WAIT, summary });

export const slots = (summary: string): SlotActivities => proxyActivities<SlotActivities>({ ...REQUEST, summary });

export const kubernetes = (summary: string): KubernetesActivities =>
  proxyActivities<KubernetesActivities>({ ...REQUEST, summary });

/** The activities of a Metal3Data, and those for the claims of a Metal3DataTemplate. */
export const data = (summary: string): DataActivities => proxyActivities<DataActivities>({ ...REQUEST, summary });
export const claims = (summary: string): DataClaimTaskActivities =>
  proxyActivities<DataClaimTaskActivities>({ ...REQUEST, summary });

/**
 * Claims of hosts, which go through the hosts' own workflows. They wait for activities of those, so they must not take up
 * the places that these need.
 */
export const hostRequests = (summary: string): HostRequestActivities =>
  proxyActivities<HostRequestActivities>({ ...REQUEST, taskQueue: WAIT_TASK_QUEUE, summary });

/** What is done in workload clusters. */
export const workload = (summary: string): WorkloadActivities =>
  proxyActivities<WorkloadActivities>({ ...REQUEST, summary });

/** What is waited for in workload clusters. */
export const awaiting = (summary: string): Pick<WorkloadActivities, 'awaitNode'> =>
  proxyActivities<Pick<WorkloadActivities, 'awaitNode'>>({ ...PATIENT, summary });

type OfBridge = BridgeActivities & EntityActivities & ChoiceActivities;
export const bridge = (summary: string): OfBridge => proxyActivities<OfBridge>({ ...PUBLISH, summary });
