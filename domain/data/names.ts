/** Words that tie Metal3DataTemplates, Metal3DataClaims, Metal3Data and what is made for them together. */

export const TEMPLATE_FINALIZER = 'metal3datatemplate.infrastructure.cluster.x-k8s.io';
export const DATA_FINALIZER = 'metal3data.infrastructure.cluster.x-k8s.io';
/** On a Metal3DataClaim, and on the Metal3Data that was made for it. */
export const DATA_CLAIM_FINALIZER = 'metal3dataclaim.infrastructure.cluster.x-k8s.io';

/** `group/version` in which we write objects of this group. */
export const INFRASTRUCTURE_API = 'infrastructure.cluster.x-k8s.io/v1beta2';
export const IPAM_API = 'ipam.metal3.io/v1alpha1';
/** Cluster API's own contract of address management. */
export const CLUSTER_IPAM_API = 'ipam.cluster.x-k8s.io/v1beta2';

/** On an IPClaim that is named after the host: whose it is. */
export const CLAIM_LABELS = {
  data: 'infrastructure.cluster.x-k8s.io/data-name',
  pool: 'infrastructure.cluster.x-k8s.io/pool-name',
} as const;

export const SECRET_TYPE = 'infrastructure.cluster.x-k8s.io/secret';

export const dataName = (template: string, index: number): string => `${template}-${index}`;

/** Of a Metal3Machine; what a user wrote into the Metal3Data goes before them. */
export const secretNames = (metal3Machine: string): { readonly metaData: string; readonly networkData: string } => ({
  metaData: `${metal3Machine}-metadata`,
  networkData: `${metal3Machine}-networkdata`,
});

/** Of the claim that a pool gets; `owner` is the Metal3Data or, for addresses that are kept for hosts, the host. */
export const claimName = (owner: string, pool: string): string => `${owner}-${pool}`;
