import { type Diagnosis, words } from '../diagnosis.ts';
import { DELETES_NODE } from '../risks.ts';

const KUBECONFIG = 'kubectl -n {namespace} get secret {cluster}-kubeconfig';
const NODES = `kubectl --kubeconfig KUBECONFIG_OF_THE_CLUSTER get nodes -o custom-columns=NAME:.metadata.name,PROVIDERID:.spec.providerID,UUID:.metadata.labels.metal3\\.io/uuid`;

/** A machine whose host runs: the workload cluster and its Node. */
export const NODE: readonly Diagnosis[] = [
  words({
    id: 'kubeconfig-missing',
    of: 'machine',
    says: /failed to retrieve kubeconfig secret for Cluster "(?<cluster>[^"]+)"/,
    cause: 'There is no Secret with the kubeconfig of the workload cluster.',
    next: 'Wait for the control plane provider, which creates it. Without such a provider, create the Secret {cluster}-kubeconfig with the key value.',
    commands: [KUBECONFIG],
  }),
  words({
    id: 'kubeconfig-refused',
    of: 'machine',
    says: /the kubeconfig of cluster (?<cluster>\S+) is (refused|invalid)/,
    cause: 'The kubeconfig of the workload cluster cannot be used.',
    next: 'Write a kubeconfig with inline certificates into the Secret {cluster}-kubeconfig: commands, files, proxies and passwords in a kubeconfig are refused.',
    commands: [KUBECONFIG],
  }),
  words({
    id: 'workload-unreachable',
    of: 'machine',
    says: /the API server of cluster (?<cluster>\S+) (is unreachable|fails|answers too much|answers with status)/,
    cause: 'The API server of the workload cluster does not answer.',
    next: 'Check its endpoint, as in the Secret {cluster}-kubeconfig, its load balancer and its control plane: the first machine starts it.',
    commands: [
      `kubectl -n {namespace} get metal3cluster -o jsonpath='{.items[*].spec.controlPlaneEndpoint}'`,
      KUBECONFIG,
    ],
  }),
  words({
    id: 'workload-refuses',
    of: 'machine',
    says: /the API server of cluster (?<cluster>\S+) refuses our credentials/,
    cause: 'The workload cluster does not accept the credentials in its kubeconfig: expired, or of another cluster.',
    next: 'Replace the Secret {cluster}-kubeconfig by one with valid credentials.',
    commands: [KUBECONFIG],
  }),
  words({
    id: 'node-other-provider-id',
    of: 'machine',
    says: /unsupported providerID format: (?<node>[a-z0-9.-]+) has|(?<node2>[a-z0-9.-]+) has another providerID/,
    cause: 'The providerID of the Node belongs to something else.',
    risk: DELETES_NODE,
    next: 'Delete the Node, so that its kubelet registers it again. If another cloud provider sets its providerID, turn that off first.',
    commands: [NODES],
  }),
  words({
    id: 'node-ambiguous',
    of: 'machine',
    says: /multiple (target )?nodes|in use by multiple nodes|cannot be used at the same time|multiple nodes matching/,
    cause: 'More than one Node could belong to the machine.',
    risk: DELETES_NODE,
    next: 'Delete the Node that is left over from an earlier machine.',
    commands: [NODES],
  }),
  words({
    id: 'node-missing',
    of: 'machine',
    says: /could not find node with label|no Nodes found|no nodes matching hostnames|error retrieving node|unable to find Node by hostname/,
    cause: 'The server runs, but its Node has not appeared in the workload cluster.',
    next: 'Look at the console of the server: cloud-init, kubelet, and the way to the control plane. The kubelet must register the Node with the label metal3.io/uuid.',
    commands: [NODES],
  }),
];
