/** Constants of the BareMetalHost API. Importing them loads no other code. */

export const PROVISIONING_STATES = [
  '',
  'unmanaged',
  'registering',
  'match profile',
  'inspecting',
  'preparing',
  'available',
  'ready',
  'provisioning',
  'provisioned',
  'externally provisioned',
  'deprovisioning',
  'powering off before delete',
  'deleting',
] as const;
export type ProvisioningState = (typeof PROVISIONING_STATES)[number];

export const OPERATIONAL_STATUSES = ['', 'OK', 'discovered', 'error', 'delayed', 'detached', 'servicing'] as const;

export const ERROR_TYPES = [
  'provisioned registration error',
  'registration error',
  'inspection error',
  'preparation error',
  'provisioning error',
  'power management error',
  'servicing error',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The Event reason for each recorded failure. */
export const ERROR_EVENT_REASONS = {
  'provisioned registration error': 'ProvisionedRegistrationError',
  'registration error': 'RegistrationError',
  'inspection error': 'InspectionError',
  'preparation error': 'PreparationError',
  'provisioning error': 'ProvisioningError',
  'power management error': 'PowerManagementError',
  'servicing error': 'ServicingError',
} as const satisfies Record<ErrorType, string>;

export const BOOT_MODES = ['UEFI', 'UEFISecureBoot', 'legacy'] as const;
export type BootMode = (typeof BOOT_MODES)[number];

export const INSPECTION_MODES = ['disabled', 'agent', 'fast'] as const;
export type InspectionMode = (typeof INSPECTION_MODES)[number];

export const AUTOMATED_CLEANING_MODES = ['metadata', 'disabled'] as const;
export type AutomatedCleaningMode = (typeof AUTOMATED_CLEANING_MODES)[number];

export const ANNOTATIONS = {
  paused: 'baremetalhost.metal3.io/paused',
  detached: 'baremetalhost.metal3.io/detached',
  status: 'baremetalhost.metal3.io/status',
  reboot: 'reboot.metal3.io',
  inspect: 'inspect.metal3.io',
  hardwareDetails: 'inspect.metal3.io/hardwaredetails',
} as const;

/** Temper's own annotations, with which people steer a host; `history` is the list of what they asked for. */
export const STEERING_ANNOTATIONS = {
  quarantine: 'temper/quarantine',
  abort: 'temper/abort',
  retry: 'temper/retry',
  forceDelete: 'temper/force-delete',
  history: 'temper/history',
} as const;

/**
 * The results of the last operations of a host: a list that the bridge stores on the host, because Temporal deletes
 * closed runs.
 */
export const OPERATIONS_ANNOTATION = 'temper/operations';

/**
 * The request to Ironic whose answer is not known, as JSON: `request`, `nodeId`, the `uid` of the host, and `at`. Written
 * before the request, and removed after the answer.
 */
export const REQUEST_ANNOTATION = 'temper/request';

/**
 * On a host whose node Ironic was told to undeploy, until it leaves `deprovisioning`; the value is the id of the node.
 * The activity writes it: what a workflow says of it could be made up.
 */
export const UNDEPLOYING_ANNOTATION = 'temper/undeploying';

/**
 * What needs approval, when it may happen, and on how many hosts at a time; on hosts, their machines, Clusters and
 * Namespaces. The bridge copies the annotations of other objects that concern a host to `inherited` on the host.
 * `given` and `rejected` are the answers of people.
 */
export const APPROVAL_ANNOTATIONS = {
  needed: 'temper/approval',
  window: 'temper/approval-window',
  budget: 'temper/approval-budget',
  inherited: 'temper/approval-inherited',
  given: 'temper/approval-given',
  rejected: 'temper/approval-rejected',
} as const;

export const FINALIZERS = {
  host: 'baremetalhost.metal3.io',
  hardwareData: 'baremetalhost.metal3.io/hardwareData',
  secret: 'baremetalhost.metal3.io/secret',
} as const;

/** Label on every Secret that the operator reads; caches filter by it. */
export const SECRET_LABEL = { key: 'environment.metal3.io', value: 'baremetal' } as const;

export const CONDITION_TYPES = [
  'AvailableForProvisioning',
  'Healthy',
  'Manageable',
  'Progressing',
  'Provisioned',
  'Ready',
] as const;
export type HostConditionType = (typeof CONDITION_TYPES)[number];
