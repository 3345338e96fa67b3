/** Kinds without a namespace of which each installation has objects, besides CRDs and webhooks. */
export type ClusterKind =
  | 'ClusterRole'
  | 'ClusterRoleBinding'
  | 'ValidatingAdmissionPolicy'
  | 'ValidatingAdmissionPolicyBinding';

/** Roles of which our manifests bind none: people are bound to them. */
const FOR_PEOPLE: readonly string[] = ['temper-approver', 'temper-reader'];
const ROLES = [
  'temper-accounts',
  'temper-approver',
  'temper-bridge-addresses-role',
  'temper-bridge-answers-role',
  'temper-bridge-role',
  'temper-definitions-role',
  'temper-discovery-role',
  'temper-fixture-role',
  'temper-machine-api-bridge',
  'temper-machine-api-workers',
  'temper-metrics-reader',
  'temper-reader',
  'temper-webhook-configuration',
  'temper-workers-addresses-role',
  'temper-workers-role',
];

/**
 * Their names in our manifests. clusterctl's names that begin with `capm3-` are not among them: Metal3 uses the same, so
 * only the accounts show whose they are.
 */
export const NAMES: Readonly<Record<ClusterKind, readonly string[]>> = {
  ClusterRole: ROLES,
  ClusterRoleBinding: ROLES.filter((role) => !FOR_PEOPLE.includes(role)).map((role) =>
    role.replace(/-role$/, '-rolebinding'),
  ),
  ValidatingAdmissionPolicy: ['temper-approvals', 'temper-secrets'],
  ValidatingAdmissionPolicyBinding: ['temper-approvals', 'temper-machine-approvals', 'temper-secrets'],
};

/** Before the names of what `clusterctl init --ipam metal3` installs. */
const PREFIX = /^ipam-(?=temper-)/;

/** True for the name of an object of our manifests, however they were installed. */
export const isOfManifests = (kind: ClusterKind, name: string): boolean =>
  NAMES[kind].includes(name.replace(PREFIX, ''));
