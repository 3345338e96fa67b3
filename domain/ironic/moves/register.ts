import { type IronicNode, isBusy } from '../node/node.ts';

export type Registering =
  /** Ironic is at work with the node: it is left as it is. */
  | 'leave'
  /** Bring what Ironic knows of the node up to date. */
  | 'configure'
  /** Bring it up to date and have the access to the BMC verified. */
  | 'verify'
  /** The BMC has refused before, and nothing has changed since. */
  | 'report';

/** What registering means for a node that Ironic knows. */
export function registering(
  node: IronicNode,
  order: { readonly credentialsChanged: boolean; readonly retry: boolean },
): Registering {
  if (isBusy(node.state)) return 'leave';
  if (node.state !== 'enroll') return 'configure';
  // Without an error nobody has tried yet: a registration that was cut short goes on.
  const untried = node.lastError === null;
  return untried || order.credentialsChanged || order.retry ? 'verify' : 'report';
}
