import { BUSY_NODE_STATES, type IronicNode, type NodeState } from '../node/node.ts';
import type { IronicAnswer } from '../orders.ts';
import {
  done,
  each,
  failWithReason,
  go,
  HOLD_STATES,
  type Move,
  type MoveTable,
  recover,
  rowOf,
  wait,
} from './move.ts';

interface Adopting {
  readonly retry: boolean;
}

const notYet = (node: IronicNode): Move => ({ kind: 'fail', message: `invalid state for adopt: ${node.state}` });

/** Ironic knows that the node is in use, or is about to change that: only its own operation decides. */
const isKnown = (): Move => done;

const MOVES: MoveTable<Adopting> = {
  ...each(BUSY_NODE_STATES, isKnown),
  ...each(HOLD_STATES, isKnown),
  ...each(['deploy failed', 'error', 'rescue', 'rescue failed', 'unrescue failed', 'service failed'], isKnown),
  manageable: (node) => go(node, 'adopt'),
  // Ironic was restored from a backup that is older than the deployment.
  available: (node) => go(node, 'manage', 'adopt'),
  'clean failed': (node) => recover(node, 'manage', 'adopt'),
  'inspect failed': (node) => recover(node, 'manage', 'adopt'),
  adopting: () => wait,
  'adopt failed': (node, { retry }) => (retry ? recover(node, 'adopt') : failWithReason(node)),
  enroll: notYet,
  verifying: notYet,
  // Maintenance mode set by a person would keep Ironic from managing the node.
  active: (node) => (node.maintenance && node.fault === null ? { kind: 'go', steps: ['clear maintenance'] } : done),
};

/**
 * States from which Ironic can't adopt a node: requests lead out of them only with a deployment, an erasure, or a change
 * of the server's power. Of a host that runs an image only a restored backup, or somebody who uses Ironic directly,
 * brings its node there.
 */
export const UNADOPTABLE: readonly NodeState[] = [
  'deploying',
  'wait call-back',
  'deploy failed',
  'deleting',
  'error',
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
];

/** Tells Ironic that the node is in use, without a deployment; in other states Ironic knows it already. */
export const adoptMove = (node: IronicNode, options: Adopting): Move =>
  rowOf(MOVES, node.state, isKnown)(node, options);

/** Marks the answer to a request that has Ironic adopt the node: not that its maintenance ends, or nothing was needed. */
export const adoptionTold = (answer: IronicAnswer): IronicAnswer =>
  answer.kind === 'started' && answer.node.state === 'adopting' ? { ...answer, adopts: true } : answer;
