import type { IronicNode, NodeState } from '../node/node.ts';
import type { IronicAnswer } from '../orders.ts';
import { cannotBe, done, failWithReason, go, type Move, movesTo, recover, wait } from './move.ts';

interface Undeploying {
  readonly retry: boolean;
  /** Keep what is deployed. An undeployment that has begun is finished. */
  readonly isAskedForAgain?: boolean;
}

/** States in which Ironic may have erased something. */
const ERASING: readonly NodeState[] = ['deleting', 'cleaning', 'clean wait'];

/** True for an answer to a request to undeploy, after which nothing of what was deployed may be left. */
export const isErasing = (answer: IronicAnswer): boolean =>
  answer.kind === 'started' && ERASING.includes(answer.node.state);

/** A system for repairs runs on it, and its image is untouched: what is to stay is not left like that. */
const rescued = (node: IronicNode, options: Undeploying): Move =>
  options.isAskedForAgain ? cannotBe('left as it is: end its rescue first', node) : go(node, 'deleted');

const failed = (node: IronicNode, options: Undeploying): Move =>
  options.isAskedForAgain ? failWithReason(node) : recover(node, 'deleted');

/**
 * Ironic was put back to a time before it knew the BMC. What its machine runs is erased all the same: the BMC is verified
 * first, and the node cleaned.
 */
const unverified = (node: IronicNode, { retry }: Undeploying): Move =>
  retry || node.lastError === null ? recover(node, 'manage') : failWithReason(node);

/**
 * Brings a node back to `available`, or leaves it `active` when its image is to stay after all. A deployment that waits
 * for its agent is aborted; a running one is waited for.
 */
export const undeployMove = movesTo<Undeploying>('deprovisioned', {
  available: () => done,
  active: (node, { isAskedForAgain }) => (isAskedForAgain ? done : go(node, 'deleted')),
  'wait call-back': (node) => go(node, 'deleted'),
  'deploy failed': (node) => recover(node, 'deleted'),
  rescue: rescued,
  'rescue wait': rescued,
  'service wait': (node, { isAskedForAgain }) => (isAskedForAgain ? wait : go(node, 'deleted')),
  'rescue failed': failed,
  'unrescue failed': failed,
  'service failed': failed,
  manageable: (node) => go(node, 'provide'),
  'adopt failed': (node) => recover(node, 'manage', 'provide'),
  'inspect failed': (node) => recover(node, 'manage', 'provide'),
  'clean failed': (node, { retry }) => (retry ? recover(node, 'manage', 'provide') : failWithReason(node)),
  error: (node, { retry }) =>
    retry ? recover(node, 'deleted') : { kind: 'fail', message: node.lastError ?? 'Deprovisioning failed' },
  enroll: unverified,
});
