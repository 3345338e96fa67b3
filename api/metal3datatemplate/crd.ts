import { namesOf } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, clusterColumn } from '../meta/columns.ts';
import { metal3DataTemplate } from './kind.ts';
import { metal3DataTemplateSpec, metal3DataTemplateStatus } from './schema.ts';
import { metal3DataTemplateSpecV1Beta1, metal3DataTemplateStatusV1Beta1 } from './v1beta1.ts';

export const metal3DataTemplateResource = infrastructureResource({
  ...namesOf(metal3DataTemplate),
  shortNames: ['m3dt', 'm3datatemplate', 'm3datatemplates', 'metal3dt', 'metal3datatemplate'],
  description: 'Template for the metadata and network configuration of machines, with an index for each machine.',
  // A template has no owner, so this label tells clusterctl to move it.
  labels: { 'clusterctl.cluster.x-k8s.io/move': '' },
  v1beta1: {
    columns: [clusterColumn, ageColumn],
    spec: metal3DataTemplateSpecV1Beta1,
    status: metal3DataTemplateStatusV1Beta1,
  },
  v1beta2: { columns: [clusterColumn, ageColumn], spec: metal3DataTemplateSpec, status: metal3DataTemplateStatus },
});
