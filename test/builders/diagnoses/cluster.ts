import { clusterSays, type Examples, machineWaits } from './sights.ts';

export const CLUSTER_EXAMPLES = {
  'cluster-paused': [clusterSays('', { paused: true })],
  'endpoint-missing': [
    clusterSays('Invalid Metal3Cluster provided: missing fields from Spec: [ControlPlaneEndpoint.Host]'),
  ],
  'cluster-owner-gone': [clusterSays('Unable to get owner cluster')],
  'machine-without-cluster': [
    machineWaits('WaitingForClusterInfrastructureReady', 'Machine is missing cluster label or cluster does not exist'),
  ],
  'infrastructure-not-ready': [
    machineWaits(
      'WaitingForClusterInfrastructureReady',
      'Waiting for Metal3Cluster Controller to create cluster infrastructure',
    ),
  ],
  'metal3cluster-missing': [
    machineWaits('WaitingforMetal3Cluster', 'Waiting for Metal3Cluster Controller to create the Metal3Cluster'),
  ],
} satisfies Examples;
