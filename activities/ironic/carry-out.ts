import { afterStep, type Move, type NodeStep } from '../../domain/ironic/moves/move.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { IronicAnswer } from '../../domain/ironic/orders.ts';
import { IronicError, nodeInFault } from './client/errors.ts';
import { answerTo, changing, lookAt, reasonOf, type Tools } from './tools.ts';

/** Calls (about five minutes) during which Ironic may clear a fault before it becomes the host's failure. */
const PATIENCE = 15;

/** Performs one step of a node; steps with more than one request are the caller's. */
export type StepTaker = (step: NodeStep) => Promise<void>;

/** Performs a decided move. Refusals are thrown, because the caller may handle them. */
export async function carryOut(tools: Tools, node: IronicNode, move: Move, take?: StepTaker): Promise<IronicAnswer> {
  switch (move.kind) {
    case 'wait':
      return { kind: 'started', node };
    case 'done':
      return { kind: 'done', node };
    case 'fail':
      return { kind: 'failed', message: move.message || (await reasonOf(tools, node)), node };
    case 'faulty': {
      const error = nodeInFault(node.id, move.fault, node.lastError);
      if (tools.call.attempt < PATIENCE) throw error;
      return { kind: 'failed', message: error.message, node };
    }
    case 'go': {
      let now = node;
      for (const step of move.steps) {
        await changing(tools, node.id, (take ?? requestFor(tools, node.id))(step));
        now = afterStep(now, step);
        tools.log.info({ node: node.id, step, from: node.state }, 'Ironic accepted a step');
      }
      return { kind: 'started', node: now };
    }
  }
}

export const requestFor =
  ({ client, call }: Tools, nodeId: string): StepTaker =>
  (step) =>
    step === 'clear maintenance'
      ? client.clearMaintenance(nodeId, { signal: call.signal })
      : client.setProvisionState(nodeId, step, {}, { signal: call.signal });

/**
 * Reads the node, decides, acts. A node from the poller's last list is used only to start something that Ironic checks.
 * After a refusal, the node may have changed, or another call for the same order was faster: the node is read and
 * decided again before the refusal counts.
 */
export async function moveNode(
  tools: Tools,
  nodeId: string,
  decide: (node: IronicNode) => Move,
  take?: StepTaker,
): Promise<IronicAnswer> {
  const recent = tools.poller.recent(nodeId);
  const begins = recent !== undefined && decide(recent).kind === 'go';
  const node = begins ? recent : await lookAt(tools, nodeId);
  if (node === undefined) return { kind: 'lost' };
  try {
    return await carryOut(tools, node, decide(node), take);
  } catch (error) {
    if (!(error instanceof IronicError) || error.type !== 'IronicRefused') throw error;
    return secondThought(tools, nodeId, decide, take, error);
  }
}

async function secondThought(
  tools: Tools,
  nodeId: string,
  decide: (node: IronicNode) => Move,
  take: StepTaker | undefined,
  refusal: IronicError,
): Promise<IronicAnswer> {
  const node = await lookAt(tools, nodeId);
  if (node === undefined) return { kind: 'lost' };
  try {
    return await carryOut(tools, node, decide(node), take);
  } catch (error) {
    return answerTo(error instanceof IronicError ? error : refusal, node);
  }
}
