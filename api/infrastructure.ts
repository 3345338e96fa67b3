import type { CustomResource, ResourceVersion } from './custom-resource.ts';

type Version = Omit<ResourceVersion, 'name' | 'isDeprecated'>;

type InfrastructureKind = Omit<CustomResource, 'categories' | 'versions'> & {
  readonly v1beta1: Version;
  readonly v1beta2: Version;
};

/**
 * A kind of Cluster API's infrastructure group, with the labels that tell Cluster API and clusterctl its contract
 * versions.
 */
export const infrastructureResource = ({ labels, v1beta1, v1beta2, ...kind }: InfrastructureKind): CustomResource => ({
  ...kind,
  categories: ['cluster-api'],
  labels: {
    'cluster.x-k8s.io/provider': 'infrastructure-metal3',
    'cluster.x-k8s.io/v1beta1': 'v1beta1',
    'cluster.x-k8s.io/v1beta2': 'v1beta2',
    ...labels,
  },
  versions: [
    { name: 'v1beta1', isDeprecated: true, ...v1beta1 },
    { name: 'v1beta2', ...v1beta2 },
  ],
});
