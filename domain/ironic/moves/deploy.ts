import type { IronicNode } from '../node/node.ts';
import { done, each, failWithReason, go, type Move, movesTo, RESCUE_AND_SERVICE, recover, wait } from './move.ts';

export interface Deploying {
  /** The node has this same deployment: image and deploy step, and the same data or attempt of the host. */
  readonly isSame: boolean;
  readonly retry: boolean;
  /** An earlier call for this order caused the failed deployment: it is not repeated. */
  readonly ownFailure: boolean;
  /** Aborts a deployment that waits for its agent, to start it again. */
  readonly force?: boolean;
}

/**
 * Deploys an image on a node. Requested once for each order: a running or completed deployment is repeated only by
 * force.
 */
export const deployMove = movesTo<Deploying>('deployed', {
  ...each(['enroll', 'manageable', 'error', 'inspect failed', 'clean failed', 'adopt failed'], 'impossible'),
  ...each(RESCUE_AND_SERVICE, 'impossible'),
  available: (node) => go(node, 'active'),
  deploying: (node, { isSame }) => (isSame ? wait : anotherDeployment(node)),
  'wait call-back': (node, { isSame, force }) => {
    if (!isSame) return anotherDeployment(node);
    return force ? go(node, 'deleted') : wait;
  },
  active: (node, { isSame }) => (isSame ? done : anotherDeployment(node)),
  'deploy failed': (node, { isSame, ownFailure, retry }) =>
    isSame && (ownFailure || !retry) ? failWithReason(node) : recover(node, 'active'),
});

const anotherDeployment = (node: IronicNode): Move => ({
  kind: 'fail',
  message: `node ${node.id} is in state '${node.state}' with another image, deploy step or data; it has to be deprovisioned first`,
});
