import type { IronicNode } from '../node/node.ts';
import { done, failWithReason, go, type Move, type MoveTable, moveBy, recover, wait } from './move.ts';

export interface Inspecting {
  readonly retry: boolean;
  /** An inventory is there and nobody asked for a new one. */
  readonly satisfied: boolean;
  /** An inspection that waits for its agent is ended; what was aborted starts over. */
  readonly force?: boolean;
}

const MOVES: MoveTable<Inspecting> = {
  manageable: (node, { satisfied }) => (satisfied ? done : go(node, 'inspect')),
  available: (node, { satisfied }) => (satisfied ? done : go(node, 'manage', 'inspect')),
  'inspect wait': (_, { force }) => (force ? { kind: 'go', steps: ['abort'] } : wait),
  // An aborted inspection is nobody's failure: it starts over.
  'inspect failed': (node, { retry }) =>
    retry || node.lastError?.includes('aborted') ? recover(node, 'manage', 'inspect') : failWithReason(node),
};

/** Brings a node to being inspected. */
export const inspectMove = (node: IronicNode, options: Inspecting): Move => moveBy(MOVES, node, options, 'inspected');
