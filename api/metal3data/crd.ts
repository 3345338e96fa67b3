import { namesOf, type PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, column, reasonColumn } from '../meta/columns.ts';
import { metal3Data } from './kind.ts';
import { metal3DataSpec, metal3DataStatus } from './schema.ts';
import { metal3DataSpecV1Beta1, metal3DataStatusV1Beta1 } from './v1beta1.ts';

const columns: readonly PrinterColumn[] = [
  ageColumn,
  column('Machine', '.spec.claim.name', 'Machine that the data is for'),
  column('Template', '.spec.template.name', 'Template of the data'),
  column('Index', '.spec.index', 'Index of the data in its template', { type: 'integer' }),
  column('Ready', '.status.ready', 'Whether its Secrets are written'),
  reasonColumn('.status.errorMessage'),
];

export const metal3DataResource = infrastructureResource({
  ...namesOf(metal3Data),
  shortNames: ['m3d', 'm3data', 'm3datas', 'metal3d', 'metal3data'],
  description: 'Metadata and network configuration of one machine, rendered from a Metal3DataTemplate.',
  // Cluster API derives a wrong plural for this kind, so its check is skipped.
  annotations: { 'clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check': '' },
  v1beta1: { columns, spec: metal3DataSpecV1Beta1, status: metal3DataStatusV1Beta1 },
  v1beta2: { columns, spec: metal3DataSpec, status: metal3DataStatus },
});
