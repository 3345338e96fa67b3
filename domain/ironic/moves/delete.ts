import { type IronicNode, isBusy, type NodeState } from '../node/node.ts';
import { abortMove } from './abort.ts';
import type { Move } from './move.ts';

export type DeleteMove =
  /** Delete the node. */
  | { readonly kind: 'delete' }
  /** In this state Ironic deletes a node only in maintenance. */
  | { readonly kind: 'force' }
  /** Remove the node's instance, then delete it. */
  | { readonly kind: 'release' }
  | (Move & { readonly kind: 'go' | 'wait' });

const PLAIN: Readonly<Partial<Record<NodeState, DeleteMove>>> = {
  enroll: { kind: 'delete' },
  manageable: { kind: 'release' },
  available: { kind: 'release' },
};

/** How to delete a node from Ironic in its current state. */
export function deleteMove(node: IronicNode, canAbortDeploy: boolean, isForced = false): DeleteMove {
  const plain = PLAIN[node.state];
  if (plain !== undefined) return plain;
  if (isForced) return { kind: 'force' };
  const aborted = abortMove(node, canAbortDeploy);
  if (aborted.kind === 'go') return { kind: 'go', steps: aborted.steps };
  return isBusy(node.state) ? { kind: 'wait' } : { kind: 'force' };
}
