import { BUSY_NODE_STATES, type IronicNode, RESTING_NODE_STATES } from '../node/node.ts';
import { done, each, HOLD_STATES, type Move, type MoveTable, rowOf, wait } from './move.ts';

const abort = (): Move => ({ kind: 'go', steps: ['abort'] });

/** What the abort of an operation does; true stands for an Ironic that can abort a deployment (from API 1.110 on). */
const MOVES: MoveTable<boolean> = {
  ...each(BUSY_NODE_STATES, () => done),
  ...each(RESTING_NODE_STATES, () => done),
  // Ironic waits for an agent, or for a person, and can abort.
  ...each(['inspect wait', 'clean wait', 'service wait', 'rescue wait', ...HOLD_STATES], abort),
  'wait call-back': (_, canAbortDeploy) => ({ kind: 'go', steps: [canAbortDeploy ? 'abort' : 'deleted'] }),
  // Just before such a wait.
  ...each(['inspecting', 'cleaning'], () => wait),
};

/** Aborts an operation that waits for its agent, or for a person. */
export const abortMove = (node: IronicNode, canAbortDeploy: boolean): Move =>
  rowOf(MOVES, node.state, () => done)(node, canAbortDeploy);
