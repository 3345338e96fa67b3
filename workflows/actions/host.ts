import { sleep, workflowInfo } from '@temporalio/workflow';
import type { Task } from '../../domain/host/memory/task.ts';
import type { HostOutcome } from '../../domain/host/step.ts';
import { powerFailure } from '../../domain/ironic/moves/power.ts';
import { isBusy } from '../../domain/ironic/node/node.ts';
import type { DeleteOrder, HostRef, MediaOrder, PowerOrder, RegisterOrder } from '../../domain/ironic/orders.ts';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { LOCKS, type LockName } from '../../domain/lock/policy.ts';
import { runOperation } from '../life/operation.ts';
import type { Performing } from '../life/run.ts';
import { isSignalled } from '../life/signal-run.ts';
import { placeRequested, placesReturned } from '../lock/messages.ts';
import { deleteWorkflow } from '../operations/delete.ts';
import { deprovisionWorkflow } from '../operations/deprovision.ts';
import { drive, failure, waitForIronic } from '../operations/drive.ts';
import { inspectWorkflow } from '../operations/inspect.ts';
import { prepareWorkflow } from '../operations/prepare.ts';
import { provisionWorkflow } from '../operations/provision.ts';
import { discarding, ironic, ironicFirst, requests } from '../proxies.ts';

/** Performs a task of a host: an action here, an operation as a child workflow. */
export async function perform(action: Task, { inBackground, ...performing }: Performing): Promise<HostOutcome> {
  const { summary } = performing;
  switch (action.name) {
    case 'inspect':
      return runOperation(inspectWorkflow, { name: action.name, order: action.order, ...performing });
    case 'prepare':
      return runOperation(prepareWorkflow, { name: action.name, order: action.order, ...performing });
    case 'provision':
      return runOperation(provisionWorkflow, { name: action.name, order: action.order, ...performing });
    case 'deprovision':
      return runOperation(deprovisionWorkflow, { name: action.name, order: action.order, ...performing });
    case 'delete':
    case 'detach':
      return runOperation(deleteWorkflow, { name: action.name, order: action.order, ...performing });
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

/** Three: eject the old image, insert the new one, read the drive. */
const ROUNDS = 3;

/** Brings the virtual drive to the desired state, or reads it. A failure also reports the content of the drive. */
async function applyMedia(order: MediaOrder, summary: string): Promise<HostOutcome> {
  let drive = order;
  for (let round = 1; ; round++) {
    const answer = await ironic(summary).changeMedia(drive);
    switch (answer.kind) {
      case 'lost':
      case 'done':
        return answer;
      case 'failed':
        // A requested image that is not in the drive was not inserted.
        return {
          ...answer,
          attached: drive.requested === 'attach' ? '' : drive.requested === 'detach' ? order.attached : drive.attached,
        };
      case 'started': {
        const { requested } = answer;
        if (round > ROUNDS)
          return { kind: 'failed', message: 'The virtual drive did not reach the desired state in several attempts' };
        drive = { ...drive, requested, attached: requested === 'attach' ? (order.desired ?? '') : '' };
        const node = await waitForIronic(order, 'free', 'Wait until the virtual drive is changed');
        if (node === null) return { kind: 'lost' };
      }
    }
  }
}

/** Sends a host's request to the run of the lock. An activity starts that run where there is none. */
export async function askForPlace(lock: LockName, request: PlaceRequest, summary: string): Promise<void> {
  if (await isSignalled(LOCKS[lock].workflowId, placeRequested, request)) return;
  await requests(summary).askForPlace({ lock, request });
}

/** Without a run of the lock there is nothing to return places to. */
export async function returnPlaces(lock: LockName, tickets: readonly string[]): Promise<void> {
  await isSignalled(LOCKS[lock].workflowId, placesReturned, tickets);
}

/** The first pause between two attempts; the next ones double, up to the last. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Has Ironic abort its operation on the node. Ironic can abort only while it waits for the deploy agent, so the request
 * is repeated until then, or until the operation has ended.
 */
async function abort(
  order: { readonly host: HostRef; readonly nodeId: string },
  summary: string,
): Promise<HostOutcome> {
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const answer = await ironicFirst(summary).abortNode(order);
    if (!('node' in answer) || answer.node === undefined || !isBusy(answer.node.state)) {
      return answer.kind === 'started' ? { kind: 'done', node: answer.node } : answer;
    }
    await sleep(pauseMs, {
      summary: `Ironic has the node in state ${answer.node.state}: wait until it can be aborted`,
    });
  }
}

/** Attempts to delete a node that Ironic is busy with, and the pause between them. */
const ATTEMPTS = 3;
const PAUSE = '3 seconds';

/**
 * Deletes the node if Ironic does so at once. Otherwise the outcome has the reason; the host is deleted in both cases.
 */
async function discard(order: DeleteOrder, summary: string): Promise<HostOutcome> {
  for (let attempt = 1; ; attempt++) {
    const answer = await discarding(summary).deleteNode(order);
    if (answer.kind !== 'started') return answer;
    if (attempt === ATTEMPTS) return { kind: 'failed', message: `Ironic has it in state '${answer.node.state}'` };
    await sleep(PAUSE, { summary: `Ironic has the node in state ${answer.node.state}: wait` });
  }
}
