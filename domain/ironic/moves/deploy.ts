import type { IronicNode } from '../node/node.ts';
import { done, failWithReason, go, type Move, type MoveTable, moveBy, recover, wait } from './move.ts';

export interface Deploying {
  /** What Ironic has noted for the node is this very image. */
  readonly sameImage: boolean;
  readonly retry: boolean;
  /** A failed deployment came from an earlier call for this very order: it is not repeated. */
  readonly ownFailure: boolean;
  /** A deployment that waits for its agent is taken down, to be begun anew. */
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

/** Brings a node to run an image. Ironic is asked once an order: a deployment that is under way or over is repeated only by force. */
export const deployMove = (node: IronicNode, options: Deploying): Move => moveBy(MOVES, node, options, 'deployed');
