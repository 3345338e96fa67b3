import { type IronicNode, isBusy, type NodeState } from '../node/node.ts';
import { abortMove } from './abort.ts';
import type { Move } from './move.ts';

export type DeleteMove =
  /** Delete the node as it is. */
  | { readonly kind: 'delete' }
  /** Ironic gives a node up in this state only once it is in maintenance. */
  | { readonly kind: 'force' }
  /** Take the mark of its instance off, then delete. */
  | { readonly kind: 'release' }
  | (Move & { readonly kind: 'go' | 'wait' });

const PLAIN: Readonly<Partial<Record<NodeState, DeleteMove>>> = {
  enroll: { kind: 'delete' },
  manageable: { kind: 'release' },
  available: { kind: 'release' },
};

/** How a node is taken out of Ironic from where it is. */
export function deleteMove(node: IronicNode, canAbortDeploy: boolean): DeleteMove {
  const plain = PLAIN[node.state];
  if (plain !== undefined) return plain;
  const aborted = abortMove(node, canAbortDeploy);
  if (aborted.kind === 'go') return { kind: 'go', steps: aborted.steps };
  return isBusy(node.state) ? { kind: 'wait' } : { kind: 'force' };
}
