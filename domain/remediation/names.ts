/** Names that link a Metal3Remediation to its host and its Node. */

/** On a Metal3Remediation: labels and annotations of the Node that it deleted, as JSON. */
export const BACKUP_ANNOTATIONS = {
  annotations: 'remediation.metal3.io/node-annotations-backup',
  labels: 'remediation.metal3.io/node-labels-backup',
} as const;

const POWER_OFF_PREFIX = 'reboot.metal3.io/metal3-remediation-';

/** On a host: the Metal3Remediation with this uid keeps it off. */
export const powerOffKey = (uid: string): string => `${POWER_OFF_PREFIX}${uid}`;
export const isPowerOffKey = (key: string): boolean => key.startsWith(POWER_OFF_PREFIX);
export const POWER_OFF_VALUE = '{"mode":"hard"}';

/** Value of the annotation that keeps a host from being chosen. */
export const UNHEALTHY_VALUE = 'capm3/UnhealthyNode';

/** On a Machine: Cluster API replaces it while this is False. */
export const OWNER_REMEDIATED = 'OwnerRemediated';
export const WAITING_FOR_REMEDIATION = 'WaitingForRemediation';

/** On a Node that is shut down: Kubernetes deletes its Pods and detaches its volumes. */
export const OUT_OF_SERVICE = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
} as const;
