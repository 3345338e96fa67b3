/** Names that link a Metal3Machine to its host and its Node. */

export const MACHINE_ANNOTATIONS = {
  /** On a Metal3Machine: `<namespace>/<name>` of its host. */
  host: 'metal3.io/BareMetalHost',
  /** On a Metal3Cluster: prefixes of the labels that are copied from hosts to Nodes. */
  labelSyncPrefixes: 'metal3.io/metal3-label-sync-prefixes',
} as const;

export const HOST_LABELS = {
  /** Reserves the host for the machines of one control plane (`cp-…`) or MachineDeployment (`md-…`). */
  nodeReuse: 'infrastructure.cluster.x-k8s.io/node-reuse',
  /** Users set it. */
  failureDomain: 'infrastructure.cluster.x-k8s.io/failure-domain',
} as const;

/** Presence alone excludes the host. The second key is the deprecated name. */
export const UNHEALTHY_ANNOTATIONS = ['capm3.metal3.io/unhealthy', 'capi.metal3.io/unhealthy'] as const;

/** On a host: a remediation of its Machine of the Machine API keeps it off. */
export const KEPT_OFF_ANNOTATION = 'reboot.metal3.io/capbm-requested-power-off';

/** Value of the paused annotation on a host that was paused together with its cluster; any other value is a user's. */
export const PAUSED_BY_CLUSTER = 'metal3.io/capm3';

/** On a Node: uid of its BareMetalHost. */
export const NODE_UUID_LABEL = 'metal3.io/uuid';

export const CLONED_FROM_TEMPLATE = 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io';
