import { workflowInfo } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';
import type { HostOutcome } from '../../domain/host/step.ts';
import { powerFailure } from '../../domain/ironic/moves/power.ts';
import type { PowerOrder, RegisterOrder } from '../../domain/ironic/orders.ts';
import { runOperation } from '../life/operation.ts';
import type { Performing } from '../life/run.ts';
import { deleteWorkflow } from '../operations/delete.ts';
import { deprovisionWorkflow } from '../operations/deprovision.ts';
import { drive, failure, waitForIronic } from '../operations/drive.ts';
import { inspectWorkflow } from '../operations/inspect.ts';
import { prepareWorkflow } from '../operations/prepare.ts';
import { provisionWorkflow } from '../operations/provision.ts';
import { ironic, ironicFirst, requests } from '../proxies.ts';
import { abort, discard } from './abort.ts';
import { applyMedia } from './media.ts';
import { askForPlace, returnPlaces } from './place-messages.ts';

/** Performs a task of a host: an action here, an operation as a child workflow. */
export async function perform(action: Task, { summary, nextNumber, inBackground }: Performing): Promise<HostOutcome> {
  switch (action.name) {
    case 'inspect':
      return runOperation(inspectWorkflow, { name: action.name, order: action.order, summary, nextNumber });
    case 'prepare':
      return runOperation(prepareWorkflow, { name: action.name, order: action.order, summary, nextNumber });
    case 'provision':
      return runOperation(provisionWorkflow, { name: action.name, order: action.order, summary, nextNumber });
    case 'deprovision':
      return runOperation(deprovisionWorkflow, { name: action.name, order: action.order, summary, nextNumber });
    case 'delete':
    case 'detach':
      return runOperation(deleteWorkflow, { name: action.name, order: action.order, summary, nextNumber });
    case 'register':
      return register(action.order, summary);
    case 'power':
      return power(action.order, summary);
    case 'examine':
      return ironic(summary).examineNode(action.order);
    case 'adopt': {
      const { order } = action;
      return drive({
        order,
        ask: (retry) => ironic(summary).adoptNode({ ...order, retry }),
        retry: order.retry,
        goal: 'active',
        waitingFor: 'Wait for the adoption',
        explain: (reason) => `Host adoption failed: ${reason}`,
      });
    }
    case 'media':
      return applyMedia(action.order, summary);
    case 'image':
      await requests(summary).requestImage(action.order);
      return { kind: 'done' };
    case 'ask for place': {
      const { lock, host, ticket, needs, underway, isForgotten, nodeId } = action.order;
      const request = { holder: workflowInfo().workflowId, uid: host.uid, ticket, needs, underway };
      await askForPlace(
        lock,
        { ...request, ...(isForgotten && { isForgotten }), ...(nodeId !== undefined && { nodeId }) },
        summary,
      );
      return { kind: 'done' };
    }
    case 'return place':
      inBackground(returnPlaces(action.order.lock, action.order.tickets));
      return { kind: 'done' };
    case 'abort':
      return abort(action.order, summary);
    case 'discard':
      return discard(action.order, summary);
    case 'release':
      await requests(summary).releaseHost(action.order);
      return { kind: 'done' };
  }
}

async function register(order: RegisterOrder, summary: string): Promise<HostOutcome> {
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
        ...(answer.wrongSecret !== undefined && { wrongSecret: answer.wrongSecret }),
      };
    case 'unknown':
      return { kind: 'lost', isCertain: true };
    case 'registered': {
      const { kind: _, node: found, verifying, ...registered } = answer;
      if (!verifying) return { kind: 'done', node: found, registered };
      const node = await waitForIronic(
        { host: order.host, nodeId: answer.node.id },
        'rest',
        'Wait for access to the BMC',
        ['enroll'],
      );
      if (node === null) return { kind: 'lost' };
      if (node.state === 'enroll')
        return { ...(await failure(node, order.host)), credentialsVersion: answer.credentialsVersion };
      return { kind: 'done', node, registered };
    }
  }
}

async function power(order: PowerOrder, summary: string): Promise<HostOutcome> {
  const answer = await ironicFirst(summary).setPower(order);
  if (answer.kind !== 'started') return answer;
  const wanted = order.on ? 'on' : 'off';
  const node = await waitForIronic(order, wanted, `Wait until the power is ${wanted}`);
  if (node === null) return { kind: 'lost' };
  // After a reboot the power is on. If it is on and Ironic still reports a failure, the reboot failed.
  const isSo = node.poweredOn === order.on && (order.rebootFor === undefined || node.lastError === null);
  if (isSo) return { kind: 'done', node };
  const { message } = await failure(node, order.host);
  return { kind: 'failed', message: powerFailure(order, message), node };
}
