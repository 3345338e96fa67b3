import type { CustomResource } from './custom-resource.ts';

type InfrastructureKind = Pick<
  CustomResource,
  'group' | 'kind' | 'plural' | 'shortNames' | 'description' | 'versions'
> & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/**
 * A kind of Cluster API's infrastructure group, with the labels that tell Cluster API and clusterctl its contract
 * versions.
 */
export const infrastructureResource = ({ labels, ...kind }: InfrastructureKind): CustomResource => ({
  ...kind,
  categories: ['cluster-api'],
  labels: {
    'cluster.x-k8s.io/provider': 'infrastructure-metal3',
    'cluster.x-k8s.io/v1beta1': 'v1beta1',
    'cluster.x-k8s.io/v1beta2': 'v1beta2',
    ...labels,
  },
});
