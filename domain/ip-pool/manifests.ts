import { ADDRESS_FINALIZERS } from '../../api/ipam/kind.ts';
import { CLUSTER_IPAM_API, IPAM_API } from '../data/names.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import type { Allocation } from './allocate.ts';
import type { ClaimRef } from './snapshot.ts';

export interface AddressOrder {
  readonly name: string;
  readonly pool: ObjectRef;
  readonly claim: ClaimRef & { readonly labels: Readonly<Record<string, string>> };
  readonly allocation: Allocation;
}

/** The IPAddress for a claim, of the claim's group. */
export function addressManifest({ name, pool, claim, allocation }: AddressOrder): object {
  const { namespace } = pool;
  const { kind, labels } = claim;
  const [group, spec] =
    kind === 'IPClaim'
      ? [IPAM_API, metal3Spec(pool, claim, allocation)]
      : [CLUSTER_IPAM_API, contractSpec(pool, claim, allocation)];
  return {
    apiVersion: group,
    kind: 'IPAddress',
    metadata: {
      name,
      namespace,
      labels,
      finalizers: [ADDRESS_FINALIZERS[kind].address],
      ownerReferences: [
        { apiVersion: IPAM_API, kind: 'IPPool', name: pool.name, uid: pool.uid },
        { apiVersion: group, kind, name: claim.name, uid: claim.uid },
      ],
    },
    spec,
  };
}

const metal3Spec = ({ namespace, name }: ObjectRef, claim: ClaimRef, allocation: Allocation): object => ({
  ...allocation,
  pool: { name, namespace },
  claim: { name: claim.name, namespace },
});

/** Cluster API's contract has no name servers, and an unset prefix is 0. */
const contractSpec = ({ name }: ObjectRef, claim: ClaimRef, { address, prefix = 0, gateway }: Allocation): object => ({
  address,
  prefix,
  ...(gateway !== undefined && { gateway }),
  poolRef: { name, kind: 'IPPool', apiGroup: IPAM_GROUP },
  claimRef: { name: claim.name },
});

const IPAM_GROUP = 'ipam.metal3.io';
