import type { IronicNode } from '../node/node.ts';
import { done, failWithReason, go, type Move, type MoveTable, moveBy, recover } from './move.ts';

interface Providing {
  readonly retry: boolean;
}

const isDone = (): Move => done;

const MOVES: MoveTable<Providing> = {
  manageable: (node) => go(node, 'provide'),
  'inspect failed': (node) => recover(node, 'manage', 'provide'),
  'clean failed': (node, { retry }) => (retry ? recover(node, 'manage', 'provide') : failWithReason(node)),
  available: isDone,
  // The node is past `available`: the deployment decides what to do.
  deploying: isDone,
  'wait call-back': isDone,
  active: isDone,
  'deploy failed': isDone,
};

/** Brings a node to `available`, which cleans it. */
export const provideMove = (node: IronicNode, options: Providing): Move =>
  moveBy(MOVES, node, options, 'made available');
