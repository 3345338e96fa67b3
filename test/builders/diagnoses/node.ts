import { type Examples, machineSays } from './sights.ts';

const LINK = 'failed to set ProviderID on Metal3Machine based on Node label';

export const NODE_EXAMPLES = {
  'kubeconfig-missing': [
    machineSays(
      `${LINK}: error creating a remote client: failed to retrieve kubeconfig secret for Cluster "prod" in namespace "metal": secrets "prod-kubeconfig" not found`,
    ),
  ],
  'kubeconfig-refused': [
    machineSays(`${LINK}: the kubeconfig of cluster prod is refused: users[0].user.exec is not allowed`),
    machineSays(`${LINK}: the kubeconfig of cluster prod is invalid`),
  ],
  'workload-unreachable': [machineSays(`${LINK}: the API server of cluster prod is unreachable`)],
  'workload-refuses': [machineSays(`${LINK}: the API server of cluster prod refuses our credentials`)],
  'node-other-provider-id': [
    machineSays(`${LINK}: node using unsupported providerID format: node-1 has openstack:///1be2`),
    machineSays(
      'unable to find Node by hostname, it may not be ready yet: node-1 has another providerID: aws:///i-1',
      'UpdateError',
    ),
  ],
  'node-ambiguous': [
    machineSays(`${LINK}: found multiple target nodes with the same label: (metal3.io/uuid=u): node-1, node-old`),
    machineSays('providerID metal3://u is in use by multiple nodes: (node-1, node-old)'),
  ],
  'node-missing': [
    machineSays(`${LINK}: could not find node with label: metal3.io/uuid=u`),
    machineSays('unable to find Node by hostname, it may not be ready yet: no Nodes found', 'UpdateError'),
  ],
} satisfies Examples;
