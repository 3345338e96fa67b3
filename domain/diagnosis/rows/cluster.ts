import { type Diagnosis, holding, shows, words } from '../diagnosis.ts';
import { TAKES_HOST } from '../risks.ts';

/** The Cluster, as far as machines wait for it. */
export const CLUSTER: readonly Diagnosis[] = [
  holding({
    id: 'cluster-paused',
    of: 'cluster',
    see: ({ cluster }) => shows(cluster, 'spec.paused', cluster?.paused === true && 'true'),
    cause: 'The Cluster is paused: nothing is done with its machines and hosts.',
    next: 'Set spec.paused to false.',
    commands: [`kubectl -n {namespace} patch cluster {cluster} --type merge -p '{"spec":{"paused":false}}'`],
  }),
  words({
    id: 'endpoint-missing',
    of: 'cluster',
    says: /missing fields from Spec: \[ControlPlaneEndpoint/,
    cause: 'The Metal3Cluster has no endpoint of its control plane.',
    risk: TAKES_HOST,
    next: 'Set host and port in spec.controlPlaneEndpoint of the Metal3Cluster {metal3Cluster}.',
    commands: [
      `kubectl -n {namespace} patch metal3cluster {metal3Cluster} --type merge -p '{"spec":{"controlPlaneEndpoint":{"host":"HOST","port":6443}}}'`,
    ],
  }),
  words({
    id: 'cluster-owner-gone',
    of: 'cluster',
    says: /Unable to get owner cluster|the Cluster that owns it does not exist/,
    cause: 'The Cluster that owns the Metal3Cluster does not exist.',
    risk: `A Metal3Cluster that is deleted has no effect on servers; its machines stay, and so do their hosts. ${TAKES_HOST}`,
    next: 'Create the Cluster, or delete the Metal3Cluster.',
    commands: ['kubectl -n {namespace} get clusters,metal3clusters'],
  }),
  words({
    id: 'machine-without-cluster',
    of: 'machine',
    says: /missing cluster label or cluster does not exist/,
    cause: 'The Cluster of the machine does not exist, or the Machine does not name it.',
    risk: TAKES_HOST,
    next: 'Create the Cluster, or set the label cluster.x-k8s.io/cluster-name.',
    commands: [
      'kubectl -n {namespace} get clusters',
      'kubectl -n {namespace} get machines.cluster.x-k8s.io --show-labels',
    ],
  }),
  words({
    id: 'infrastructure-not-ready',
    of: 'machine',
    says: /Waiting for Metal3Cluster Controller to create cluster infrastructure/,
    cause: 'The infrastructure of the Cluster is not ready.',
    next: 'Look at the Cluster {cluster} and its Metal3Cluster {metal3Cluster}: usually its endpoint is missing.',
    commands: [
      'npx temper explain cluster {cluster} -n {namespace}',
      'kubectl -n {namespace} describe metal3cluster {metal3Cluster}',
    ],
  }),
  words({
    id: 'metal3cluster-missing',
    of: 'machine',
    says: /Waiting for Metal3Cluster Controller to create the Metal3Cluster/,
    cause: 'The Cluster has no Metal3Cluster.',
    risk: TAKES_HOST,
    next: 'Create the Metal3Cluster that spec.infrastructureRef of the Cluster names.',
    commands: ['kubectl -n {namespace} get clusters,metal3clusters'],
  }),
];
