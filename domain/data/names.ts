/**
 * Labels and API groups that link Metal3DataTemplates, Metal3DataClaims, Metal3Data and the objects created
 * for them.
 */

/** `group/version` in which we write objects of this group. */
export const INFRASTRUCTURE_API = 'infrastructure.cluster.x-k8s.io/v1beta2';
export const IPAM_API = 'ipam.metal3.io/v1alpha1';
/** Cluster API's contract for address management. */
export const CLUSTER_IPAM_API = 'ipam.cluster.x-k8s.io/v1beta2';

/** On an IPClaim that is named after the host: the Metal3Data it belongs to. */
export const CLAIM_LABELS = {
  data: 'infrastructure.cluster.x-k8s.io/data-name',
  pool: 'infrastructure.cluster.x-k8s.io/pool-name',
} as const;

export const SECRET_TYPE = 'infrastructure.cluster.x-k8s.io/secret';

export const dataName = (template: string, index: number): string => `${template}-${index}`;

/** Default names of a Metal3Machine's Secrets; names in the Metal3Data's spec take precedence. */
export const secretNames = (metal3Machine: string): { readonly metaData: string; readonly networkData: string } => ({
  metaData: `${metal3Machine}-metadata`,
  networkData: `${metal3Machine}-networkdata`,
});

/** Name of the claim for a pool; `owner` is the Metal3Data or, for addresses reserved for hosts, the host. */
export const claimName = (owner: string, pool: string): string => `${owner}-${pool}`;
