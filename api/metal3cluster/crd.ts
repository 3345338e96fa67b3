import { namesOf, type PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, clusterColumn, column, readyMessage, reasonColumn } from '../meta/columns.ts';
import { metal3Cluster, metal3ClusterTemplate } from './kind.ts';
import { metal3ClusterSpec, metal3ClusterStatus, metal3ClusterTemplateSpec } from './schema.ts';
import { metal3ClusterSpecV1Beta1, metal3ClusterStatusV1Beta1, metal3ClusterTemplateSpecV1Beta1 } from './v1beta1.ts';

const errorColumn = (jsonPath: string): PrinterColumn => column('Error', jsonPath, 'A permanent problem');

const endpointColumn: PrinterColumn = column(
  'Endpoint',
  '.spec.controlPlaneEndpoint',
  'Endpoint of the API server of the cluster',
);

export const metal3ClusterResource = infrastructureResource({
  ...namesOf(metal3Cluster),
  shortNames: ['m3c', 'm3cluster', 'm3clusters', 'metal3c', 'metal3cluster'],
  description: 'Infrastructure of a Cluster of Cluster API: the endpoint of its control plane.',
  v1beta1: {
    columns: [
      ageColumn,
      column('Ready', '.status.ready', 'Whether the infrastructure is ready'),
      errorColumn('.status.failureReason'),
      clusterColumn,
      endpointColumn,
      reasonColumn(readyMessage('.status.v1beta2.conditions')),
    ],
    spec: metal3ClusterSpecV1Beta1,
    status: metal3ClusterStatusV1Beta1,
  },
  v1beta2: {
    columns: [
      ageColumn,
      column('Provisioned', '.status.initialization.provisioned', 'Whether the infrastructure is ready'),
      errorColumn('.status.deprecated.v1beta1.failureReason'),
      clusterColumn,
      endpointColumn,
      reasonColumn(readyMessage('.status.conditions')),
    ],
    spec: metal3ClusterSpec,
    status: metal3ClusterStatus,
  },
});

export const metal3ClusterTemplateResource = infrastructureResource({
  ...namesOf(metal3ClusterTemplate),
  shortNames: ['m3ct'],
  description: 'Template for the Metal3Clusters of a ClusterClass.',
  v1beta1: { columns: [], spec: metal3ClusterTemplateSpecV1Beta1 },
  v1beta2: { columns: [], spec: metal3ClusterTemplateSpec, needsSpec: true },
});
