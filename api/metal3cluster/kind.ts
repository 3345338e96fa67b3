import { INFRASTRUCTURE } from '../groups.ts';
import { FOLLOWED_IN_CACHE, type Kind } from '../kind.ts';

export const METAL3_CLUSTER_FINALIZER = 'metal3cluster.infrastructure.cluster.x-k8s.io';

export const metal3Cluster = {
  kind: 'Metal3Cluster',
  ...INFRASTRUCTURE,
  plural: 'metal3clusters',
  workflow: { type: 'metal3ClusterWorkflow', controller: 'machines' },
  finalizers: [METAL3_CLUSTER_FINALIZER],
  conditions: ['BaremetalInfrastructureReady', 'Paused', 'Ready'],
  rights: { bridge: FOLLOWED_IN_CACHE },
} as const satisfies Kind;

export const metal3ClusterTemplate = {
  kind: 'Metal3ClusterTemplate',
  ...INFRASTRUCTURE,
  plural: 'metal3clustertemplates',
} as const satisfies Kind;
