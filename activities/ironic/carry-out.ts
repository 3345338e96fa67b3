import type { MarkedRequest } from '../../domain/ironic/mark.ts';
import { afterStep, type Move, type NodeStep } from '../../domain/ironic/moves/move.ts';
import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { HostRef, IronicAnswer } from '../../domain/ironic/orders.ts';
import { IronicError, isIronicRefusal, isNodeGone, nodeInFault } from './client/errors.ts';
import type { Urgency } from './client/places.ts';
import { answerTo, reasonOf, type Tools } from './tools.ts';
import { inTurn, type NodeTurn } from './turn.ts';

/** Calls (about five minutes) during which Ironic may clear a fault before it becomes the host's failure. */
const PATIENCE = 15;

/** Performs one step of a node; steps with more than one request are the caller's. */
export type StepTaker = (step: NodeStep) => Promise<void>;

/** Performs a decided move. Refusals are thrown, because the caller may handle them. */
export async function carryOut(tools: Tools, node: IronicNode, move: Move, take: StepTaker): Promise<IronicAnswer> {
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
        await take(step);
        now = afterStep(now, step);
        tools.log.info({ node: node.id, step, from: node.state }, 'Ironic accepted a step');
      }
      return { kind: 'started', node: now };
    }
  }
}

const MARKS: Partial<Record<NodeStep, MarkedRequest>> = { active: 'active', deleted: 'deleted' };

export const requestFor =
  ({ client }: Tools, turn: NodeTurn, nodeId: string): StepTaker =>
  (step) =>
    turn.send(
      nodeId,
      (change) =>
        step === 'clear maintenance'
          ? client.clearMaintenance(nodeId, change)
          : client.setProvisionState(nodeId, step, {}, change),
      MARKS[step],
    );

export interface NodeMove {
  readonly host: HostRef;
  readonly nodeId: string;
  readonly urgency?: Urgency;
  readonly decide: (node: IronicNode) => Move;
  /** Performs a step that takes more than one request; without it, each step is one request. */
  readonly take?: (turn: NodeTurn) => StepTaker;
}

/**
 * Reads the node, decides, acts. After a refusal, the node may have changed, or another call for the same order was faster: the node is read and
 * decided again before the refusal counts.
 */
export function moveNode(
  tools: Tools,
  { host, nodeId, urgency = 'usual', decide, take }: NodeMove,
): Promise<IronicAnswer> {
  return inTurn(tools, { host, urgency }, async (turn) => {
    const node = await factsOf(turn, nodeId);
    if (node === undefined) return { kind: 'lost' };
    const step = take?.(turn) ?? requestFor(tools, turn, nodeId);
    try {
      return await carryOut(tools, node, decide(node), step);
    } catch (error) {
      if (isNodeGone(error)) return { kind: 'lost' };
      if (!isIronicRefusal(error)) throw error;
      return await secondThought(tools, turn, nodeId, decide, step, error);
    }
  });
}

async function secondThought(
  tools: Tools,
  turn: NodeTurn,
  nodeId: string,
  decide: (node: IronicNode) => Move,
  take: StepTaker,
  refusal: IronicError,
): Promise<IronicAnswer> {
  const node = await factsOf(turn, nodeId);
  if (node === undefined) return { kind: 'lost' };
  try {
    return await carryOut(tools, node, decide(node), take);
  } catch (error) {
    return answerTo(error instanceof IronicError ? error : refusal, node);
  }
}

async function factsOf(turn: NodeTurn, nodeId: string): Promise<IronicNode | undefined> {
  const node = await turn.look(nodeId);
  return node === undefined ? undefined : nodeFacts(node);
}
