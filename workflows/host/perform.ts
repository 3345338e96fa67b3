import { getExternalWorkflowHandle, isCancellation, TemporalFailure, workflowInfo } from '@temporalio/workflow';
import { summaryOf } from '../../domain/host/report/words.ts';
import type { Action, Outcome } from '../../domain/host/step.ts';
import { powerFailure } from '../../domain/ironic/moves/power.ts';
import type { PowerOrder, RegisterOrder } from '../../domain/ironic/orders.ts';
import { CAPACITY_WORKFLOW_ID, slotsReturned } from '../capacity/messages.ts';
import { ironic, kubernetes, slots } from '../proxies.ts';
import { drive, failure, waitForNode } from './drive.ts';
import { changeMedia } from './media.ts';

/** Performs what runs in the host's own workflow, all but `hold`, which is publishing. */
export async function perform(action: Exclude<Action, { name: 'hold' }>): Promise<Outcome> {
  switch (action.name) {
    case 'register':
      return register(action.order, summaryOf(action));
    case 'power':
      return power(action.order, summaryOf(action));
    case 'adopt': {
      const { order } = action;
      return drive({
        order,
        ask: (retry) => ironic(summaryOf(action)).adoptNode({ ...order, retry }),
        retry: order.retry,
        goal: 'active',
        waitingFor: 'Wait for the adoption',
        explain: (reason) => `Host adoption failed: ${reason}`,
      });
    }
    case 'media':
      return changeMedia(action.order, summaryOf(action));
    case 'image':
      await kubernetes(summaryOf(action)).requestImage(action.order);
      return { kind: 'done' };
    case 'ask for slot': {
      const { host, ticket, nodeId, limit } = action.order;
      const request = { holder: workflowInfo().workflowId, uid: host.uid, ticket, nodeId, limit };
      await slots(summaryOf(action)).askForSlot(request);
      return { kind: 'done' };
    }
    case 'return slot':
      await returnSlots(action.order.tickets);
      return { kind: 'done' };
    case 'release':
      await kubernetes(summaryOf(action)).releaseHost(action.order);
      return { kind: 'done' };
  }
}

/** When nobody hands out slots there is nobody to give them back to. */
async function returnSlots(tickets: readonly string[]): Promise<void> {
  try {
    await getExternalWorkflowHandle(CAPACITY_WORKFLOW_ID).signal(slotsReturned, tickets);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
  }
}

async function register(order: RegisterOrder, summary: string): Promise<Outcome> {
  const answer = await ironic(summary).registerNode(order);
  switch (answer.kind) {
    case 'credentials missing':
      return { kind: 'failed', message: answer.message, credentials: 'missing' };
    case 'credentials invalid':
      return {
        kind: 'failed',
        message: answer.message,
        credentials: 'invalid',
        credentialsVersion: answer.credentialsVersion,
      };
    case 'refused':
      return {
        kind: 'failed',
        message: answer.message,
        ...(answer.credentialsVersion !== undefined && { credentialsVersion: answer.credentialsVersion }),
      };
    case 'unknown':
      return { kind: 'lost' };
    case 'registered': {
      const { kind: _, node: found, verifying, ...registered } = answer;
      if (!verifying) return { kind: 'done', node: found, registered };
      const node = await waitForNode(
        { host: order.host, nodeId: answer.node.id },
        'rest',
        'Wait for access to the BMC',
      );
      if (node === null) return { kind: 'lost' };
      if (node.state === 'enroll') return { ...(await failure(node)), credentialsVersion: answer.credentialsVersion };
      return { kind: 'done', node, registered };
    }
  }
}

async function power(order: PowerOrder, summary: string): Promise<Outcome> {
  const answer = await ironic(summary).setPower(order);
  if (answer.kind !== 'started') return answer;
  const wanted = order.on ? 'on' : 'off';
  const node = await waitForNode(order, wanted, `Wait until the power is ${wanted}`);
  if (node === null) return { kind: 'lost' };
  // A machine that was on and is to be rebooted is on again, or still: then Ironic says why.
  const isSo = node.poweredOn === order.on && (order.rebootFor === undefined || node.lastError === null);
  if (isSo) return { kind: 'done', node };
  const { message } = await failure(node);
  return { kind: 'failed', message: powerFailure(order, message), node };
}
