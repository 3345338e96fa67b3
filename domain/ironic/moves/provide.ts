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
} from './move.ts';

interface Providing {
  readonly retry: boolean;
}

const AVAILABLE = 'made available';

const MOVES: MoveTable<Providing> = {
  ...WAITING,
  ...each(HOLDS, heldFor(AVAILABLE)),
  ...each(['enroll', 'error', 'adopt failed'], cannotBe(AVAILABLE)),
  manageable: (node) => go(node, 'provide'),
  'inspect failed': (node) => recover(node, 'manage', 'provide'),
  'clean failed': (node, { retry }) => (retry ? recover(node, 'manage', 'provide') : failWithReason(node)),
  available: () => done,
  // The node is past `available`: the deployment decides what to do.
  ...each(
    [
      'deploying',
      'wait call-back',
      'active',
      'deploy failed',
      'rescue',
      'rescue failed',
      'unrescue failed',
      'service failed',
    ],
    () => done,
  ),
};

/** Brings a node to `available`, which cleans it. */
export const provideMove = (node: IronicNode, options: Providing): Move => moveBy(MOVES, node, options, AVAILABLE);
