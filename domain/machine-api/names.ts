/** Names of the Machine API, in both of its groups. */

export const OPENSHIFT_API = 'machine.openshift.io/v1beta1';
export const CLUSTER_API_OF_2019 = 'cluster.k8s.io/v1alpha1';

/** The finalizer of the machine controller, by the API version of the Machine. */
export const CONTROLLER_FINALIZERS: Readonly<Record<string, string>> = {
  [OPENSHIFT_API]: 'machine.machine.openshift.io',
  [CLUSTER_API_OF_2019]: 'machine.cluster.k8s.io',
};

export const MACHINE_API_ANNOTATIONS = {
  /** On a Machine: `<namespace>/<name>` of its host. */
  host: 'metal3.io/BareMetalHost',
  /** On a Machine: the provisioning state of its host. */
  instanceState: 'machine.openshift.io/instance-state',
} as const;

/** On a Node: `<namespace>/<name>` of its Machine, by the API version of the Machine. */
export const NODE_ANNOTATIONS: Readonly<Record<string, string>> = {
  [OPENSHIFT_API]: 'machine.openshift.io/machine',
  [CLUSTER_API_OF_2019]: 'cluster.k8s.io/machine',
};

/** On Nodes, from former releases of the actuator. */
export const LEGACY_NODE_FINALIZER = 'metal3.io/capbm';

/** The remediation of a Machine by annotations, as OpenShift's MachineHealthChecks ask for it. */
export const REMEDIATION_ANNOTATIONS = {
  /** On a Machine: it is to be remediated. */
  requested: 'host.metal3.io/external-remediation',
  /** On a Machine: its host was off, and its Node is deleted. */
  poweredOff: 'remediation.metal3.io/powered-off-for-remediation',
  /** On a Machine: until when its Node must be back; RFC 3339. */
  deadline: 'remediation.metal3.io/power-on-will-timeout-at',
} as const;

/** The role of a Machine, and the role whose Machines are never deleted by a remediation. */
export const ROLE_LABEL = 'machine.openshift.io/cluster-api-machine-role';
export const CONTROL_PLANE_ROLE = 'master';

/** On a MachineSet, with any value: it has as many Machines as there are hosts for them. */
export const AUTOSCALE_ANNOTATION = 'metal3.io/autoscale-to-hosts';

/** On a Machine, with any value: its MachineSet deletes it first. */
export const DELETE_MARKS = ['machine.openshift.io/delete-machine', 'machine.openshift.io/cluster-api-delete-machine'];
