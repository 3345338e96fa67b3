import type { IronicNode, NodeState } from '../node/node.ts';
import { done, type Move, wait } from './move.ts';

/** States in which Ironic waits for an agent and can abort. */
const ABORTABLE: readonly NodeState[] = ['inspect wait', 'clean wait', 'service wait', 'rescue wait'];

/** States just before such a wait. */
const ON_THE_WAY: readonly NodeState[] = ['inspecting', 'cleaning'];

/** Aborts an operation that waits for its agent; `canAbortDeploy` from API 1.110 on. */
export function abortMove(node: IronicNode, canAbortDeploy: boolean): Move {
  if (ABORTABLE.includes(node.state)) return { kind: 'go', steps: ['abort'] };
  if (node.state === 'wait call-back') return { kind: 'go', steps: [canAbortDeploy ? 'abort' : 'deleted'] };
  return ON_THE_WAY.includes(node.state) ? wait : done;
}
