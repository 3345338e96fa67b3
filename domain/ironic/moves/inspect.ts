import type { IronicNode } from '../node/node.ts';
import {
  cannotBe,
  done,
  each,
  failWithReason,
  go,
  HOLDS,
  heldFor,
  type Move,
  type MoveTable,
  moveBy,
  recover,
  WAITING,
  wait,
} from './move.ts';

export interface Inspecting {
  readonly retry: boolean;
  /** An inventory exists and no new one was requested. */
  readonly satisfied: boolean;
  /** Aborts an inspection that waits for its agent; an aborted one starts again. */
  readonly force?: boolean;
}

const INSPECTED = 'inspected';

const MOVES: MoveTable<Inspecting> = {
  ...WAITING,
  ...each(HOLDS, heldFor(INSPECTED)),
  ...each(
    [
      'enroll',
      'active',
      'error',
      'clean failed',
      'deploy failed',
      'adopt failed',
      'rescue',
      'rescue failed',
      'unrescue failed',
      'service failed',
    ],
    cannotBe(INSPECTED),
  ),
  manageable: (node, { satisfied }) => (satisfied ? done : go(node, 'inspect')),
  available: (node, { satisfied }) => (satisfied ? done : go(node, 'manage', 'inspect')),
  'inspect wait': (_, { force }) => (force ? { kind: 'go', steps: ['abort'] } : wait),
  // An aborted inspection is no failure: it starts again.
  'inspect failed': (node, { retry }) =>
    retry || node.lastError?.includes('aborted') ? recover(node, 'manage', 'inspect') : failWithReason(node),
};

/** Starts the inspection of a node. */
export const inspectMove = (node: IronicNode, options: Inspecting): Move => moveBy(MOVES, node, options, INSPECTED);
