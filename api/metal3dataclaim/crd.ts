import { namesOf, type PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, column, reasonColumn } from '../meta/columns.ts';
import { metal3DataClaim } from './kind.ts';
import { metal3DataClaimSpec, metal3DataClaimStatus } from './schema.ts';
import { metal3DataClaimSpecV1Beta1, metal3DataClaimStatusV1Beta1 } from './v1beta1.ts';

const columns: readonly PrinterColumn[] = [
  ageColumn,
  column('Data', '.status.renderedData.name', 'Metal3Data of the claim'),
  reasonColumn('.status.errorMessage'),
];

export const metal3DataClaimResource = infrastructureResource({
  ...namesOf(metal3DataClaim),
  shortNames: ['m3dc', 'm3dataclaim', 'm3dataclaims', 'metal3dc', 'metal3dataclaim'],
  description: "A machine's request for an index of a Metal3DataTemplate and for the data rendered with it.",
  v1beta1: { columns, spec: metal3DataClaimSpecV1Beta1, status: metal3DataClaimStatusV1Beta1 },
  v1beta2: { columns, spec: metal3DataClaimSpec, status: metal3DataClaimStatus },
});
