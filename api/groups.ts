/** Groups of kinds, with the versions in which we read and write them. */

export const METAL3 = 'metal3.io/v1alpha1';
/** Served in two versions. */
export const INFRASTRUCTURE = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  olderApiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
} as const;
export const IPAM = 'ipam.metal3.io/v1alpha1';
export const CLUSTER_IPAM = 'ipam.cluster.x-k8s.io/v1beta2';
export const CLUSTER_API = 'cluster.x-k8s.io/v1beta2';
export const MACHINE_API = 'machine.openshift.io/v1beta1';
