import type { ReadableObject } from '../../kube/gate.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';

const ALL_HOSTS = { group: 'metal3.io', resource: KINDS.host.plural };

/**
 * The object that a user must be allowed to `get` in order to read a payload of this workflow: the object of the
 * workflow. For a workflow without an object: BareMetalHosts in all namespaces.
 */
export function objectToRead(workflowId: string): ReadableObject {
  const [kindInId = '', namespace = '', name = ''] = workflowId.split('/');
  const found = Object.values<FollowedKind>(KINDS).find(
    ({ kind }) => kind in WORKFLOW_TYPES && kind.toLowerCase() === kindInId,
  );
  if (found === undefined || namespace === '' || name === '') return ALL_HOSTS;
  const [group = ''] = found.apiVersion.split('/');
  return { group, resource: found.plural, namespace, name };
}
