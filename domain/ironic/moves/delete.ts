import { BUSY_NODE_STATES, type IronicNode, type KnownState, RESTING_NODE_STATES } from '../node/node.ts';
import type { DeleteOrder } from '../orders.ts';
import { abortMove } from './abort.ts';
import { each, HOLD_STATES, type Move, rowOf } from './move.ts';

export type DeleteMove =
  /** Delete the node. */
  | { readonly kind: 'delete' }
  /** In this state Ironic deletes a node only in maintenance. */
  | { readonly kind: 'force' }
  /** Remove the node's instance, then delete it. */
  | { readonly kind: 'release' }
  | (Move & { readonly kind: 'go' | 'wait' });

/** `end`: Ironic's operation, or a hold, has to end first. */
const KINDS: Readonly<Record<KnownState, 'delete' | 'force' | 'release' | 'end'>> = {
  ...each(BUSY_NODE_STATES, 'end'),
  ...each(RESTING_NODE_STATES, 'force'),
  ...each(HOLD_STATES, 'end'),
  enroll: 'delete',
  manageable: 'release',
  available: 'release',
};

/** How to delete a node from Ironic in its current state. */
export function deleteMove(node: IronicNode, canAbortDeploy: boolean, isForced = false): DeleteMove {
  const kind = rowOf(KINDS, node.state, 'force');
  if (kind !== 'end') return { kind };
  if (isForced) return { kind: 'force' };
  const aborted = abortMove(node, canAbortDeploy);
  return aborted.kind === 'go' ? { kind: 'go', steps: aborted.steps } : { kind: 'wait' };
}

/** True for a node that is deleted only while its server is off, and is not known to be so. */
export const staysInIronic = (
  { poweredOn }: Pick<IronicNode, 'poweredOn'>,
  { onlyIfOff }: Pick<DeleteOrder, 'onlyIfOff'>,
): boolean => onlyIfOff === true && poweredOn !== false;
