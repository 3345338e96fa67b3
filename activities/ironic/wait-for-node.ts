import { ApplicationFailure } from '@temporalio/common';
import { type IronicNode, isAtRest } from '../../domain/ironic/node/node.ts';
import type { WaitAnswer, WaitOrder } from '../../domain/ironic/orders.ts';
import { outageTeller } from '../../platform/temporal/failing-requests.ts';
import type { Tools } from './tools.ts';

/** Lists of a node with the wrong power, no pending change and no error, before this counts as final. */
const LOOKS = 3;

type WaitTools = Pick<Tools, 'poller' | 'call' | 'settings' | 'tell'>;

/**
 * Waits until the node is in the requested state; reads only the poller's lists. Fails for good when a list shows
 * Ironic still busy after the deadline. While Ironic does not answer, or no worker runs, nothing is known and nothing
 * fails for good; the host says that Ironic does not answer. An attempt fails when this worker can't reach Ironic for
 * minutes, so that another one goes on.
 */
export async function waitForNode({ poller, call, settings, tell }: WaitTools, order: WaitOrder): Promise<WaitAnswer> {
  const hasArrived = arrival(order.until);
  const deadline = performance.now() + settings.stepDeadlineMs - call.waitedMs;
  let isOverdue = false;
  const tellOutage = outageTeller(tell, call.workflowId, 'list the nodes of Ironic', call.attempt > 1);
  const ends = (node: IronicNode | null, step: string | undefined): boolean => {
    tellOutage(0, undefined);
    if (node !== null) call.show({ state: node.state, ...(step !== undefined && { step }) });
    if (hasArrived(node)) return true;
    isOverdue = performance.now() > deadline;
    return isOverdue;
  };
  const node = await poller.waitFor(order.nodeId, ends, call.signal, tellOutage);
  if (isOverdue) throw overdue(node, settings.stepDeadlineMs);
  return node;
}

function overdue(node: IronicNode | null, afterMs: number): ApplicationFailure {
  const message = `Ironic is still busy after ${Math.round(afterMs / 60_000)} minutes: the node is in state '${node?.state}'`;
  return ApplicationFailure.nonRetryable(message, 'IronicOverdue');
}

/** True for the requested state; an unknown node ends every wait. */
function arrival(until: WaitOrder['until']): (node: IronicNode | null) => boolean {
  switch (until) {
    case 'rest':
      return (node) => node === null || isAtRest(node);
    case 'free':
      return (node) => node?.locked !== true;
    case 'on':
    case 'off':
      return powerSettled(until === 'on');
  }
}

/** Ironic marks a power change as pending before it answers the request; a remaining error means that it failed. */
function powerSettled(wanted: boolean): (node: IronicNode | null) => boolean {
  let looks = 0;
  return (node) => {
    if (node === null) return true;
    if (node.powerPending) return false;
    looks++;
    return node.poweredOn === wanted || node.lastError !== null || looks >= LOOKS;
  };
}
