import { type IronicNode, isBusy } from '../node/node.ts';

export type Registering =
  /** Ironic is busy with the node: do not change it. */
  | 'leave'
  /** Update Ironic's settings of the node. */
  | 'configure'
  /** Update them and verify the access to the BMC. */
  | 'verify'
  /** The BMC has refused before, and nothing has changed since: report that error. */
  | 'report';

/** What registration does with an existing node. */
export function registerMove(
  node: IronicNode,
  order: { readonly accessChanged: boolean; readonly retry: boolean },
): Registering {
  if (isBusy(node.state)) return 'leave';
  if (node.state !== 'enroll') return 'configure';
  // Without an error there was no attempt yet: an interrupted registration continues.
  const untried = node.lastError === null;
  return untried || order.accessChanged || order.retry ? 'verify' : 'report';
}
