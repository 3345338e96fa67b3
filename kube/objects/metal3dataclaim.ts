import { z } from 'zod';
import { maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { DataClaimSeen } from '../../domain/machine/memory/snapshot.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { metadata, ownerOf, reference } from './metadata.ts';

const dataClaim = z.object({
  metadata,
  spec: orEmpty({ template: reference }),
  status: orEmpty({ renderedData: reference, errorMessage: maybeText }),
});
export type DataClaimRead = z.infer<typeof dataClaim>;

export const readDataClaim = once((object): DataClaimRead => dataClaim.parse(object));

/** The Metal3Machine that created it. */
export const machineOfClaim = ({
  metadata,
}: DataClaimRead): { readonly name: string; readonly uid: string } | undefined => {
  const owner = ownerOf(metadata, KINDS.metal3Machine);
  return owner && { name: owner.name, uid: owner.uid };
};

/** The fields that its Metal3Machine uses. */
export function claimSeen({ metadata, status }: DataClaimRead): DataClaimSeen {
  const { renderedData, errorMessage } = status;
  const name = renderedData?.name;
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: metadata.finalizers.includes(MACHINE_FINALIZER),
    ...(name && { renderedData: { name, namespace: renderedData?.namespace ?? metadata.namespace } }),
    ...(errorMessage && { errorMessage }),
  };
}

export const dataClaimsByMachine = byName(KINDS.dataClaim, ({ object }) => machineOfClaim(readDataClaim(object))?.name);

export const dataClaimsByCluster = byName(
  KINDS.dataClaim,
  ({ object }) => readDataClaim(object).metadata.labels[CLUSTER_LABELS.clusterName],
);
