import type { IronicNode } from '../node/node.ts';
import { done, failWithReason, go, type Move, type MoveTable, moveBy, recover, wait } from './move.ts';

export interface Deploying {
  /** Ironic has recorded this same image for the node. */
  readonly sameImage: boolean;
  readonly retry: boolean;
  /** An earlier call for this order caused the failed deployment: it is not repeated. */
  readonly ownFailure: boolean;
  /** Aborts a deployment that waits for its agent, to start it again. */
  readonly force?: boolean;
}

const MOVES: MoveTable<Deploying> = {
  available: (node) => go(node, 'active'),
  deploying: (node, { sameImage }) => (sameImage ? wait : otherImage(node)),
  'wait call-back': (node, { sameImage, force }) => {
    if (!sameImage) return otherImage(node);
    return force ? go(node, 'deleted') : wait;
  },
  active: (node, { sameImage }) => (sameImage ? done : otherImage(node)),
  'deploy failed': (node, { sameImage, ownFailure, retry }) =>
    sameImage && (ownFailure || !retry) ? failWithReason(node) : recover(node, 'active'),
};

const otherImage = (node: IronicNode): Move => ({
  kind: 'fail',
  message: `node ${node.id} is in state '${node.state}' with another image; it has to be deprovisioned first`,
});

/**
 * Deploys an image on a node. Requested once for each order: a running or completed deployment is repeated only by
 * force.
 */
export const deployMove = (node: IronicNode, options: Deploying): Move => moveBy(MOVES, node, options, 'deployed');
