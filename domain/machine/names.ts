/** Words of Metal3 that tie a Metal3Machine to its host and to its Node. */

export const MACHINE_FINALIZER = 'metal3machine.infrastructure.cluster.x-k8s.io';

export const MACHINE_ANNOTATIONS = {
  /** On a Metal3Machine: `<namespace>/<name>` of its host. */
  host: 'metal3.io/BareMetalHost',
  /** On a Metal3Cluster: prefixes of the labels that Nodes get from their hosts. */
  labelSyncPrefixes: 'metal3.io/metal3-label-sync-prefixes',
} as const;

export const HOST_LABELS = {
  /** Kept for the machines of one control plane (`cp-…`) or deployment (`md-…`). */
  nodeReuse: 'infrastructure.cluster.x-k8s.io/node-reuse',
  /** Set by users. */
  failureDomain: 'infrastructure.cluster.x-k8s.io/failure-domain',
} as const;

/** Any value: the host is never chosen. The second is how it used to be called. */
export const UNHEALTHY_ANNOTATIONS = ['capm3.metal3.io/unhealthy', 'capi.metal3.io/unhealthy'] as const;

/** Value of the paused annotation of a host that was paused along with its cluster; any other is a user's. */
export const PAUSED_BY_CLUSTER = 'metal3.io/capm3';

/** On a Node: uid of the BareMetalHost it runs on. */
export const NODE_UUID_LABEL = 'metal3.io/uuid';

export const CLONED_FROM_TEMPLATE = 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io';
