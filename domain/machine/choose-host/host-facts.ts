import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { ObjectReference } from '../../../api/meta/references.ts';
import { CLUSTER_ANNOTATIONS, groupOf } from '../../cluster-api/names.ts';
import { defined } from '../../defined.ts';
import type { ObjectName } from '../../entity/object-ref.ts';
import { KEPT_OFF_ANNOTATION, PAUSED_BY_CLUSTER, UNHEALTHY_ANNOTATIONS } from '../names.ts';

/** The fields of a BareMetalHost that its machine, or a machine that searches for a host, needs. Plain JSON. */
export interface HostFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Value of the paused annotation. */
  readonly paused?: string;
  readonly blocksMove: boolean;
  readonly unhealthy: boolean;
  readonly detached: boolean;
  readonly deleting: boolean;
  readonly state: string;
  /** '' when there is no error. */
  readonly errorMessage: string;
  /** Reason and message of its condition Ready, while it is False and has a message. */
  readonly notReady?: string;
  readonly poweredOn: boolean;
  readonly consumer?: ObjectReference;
  readonly credentialsName: string;
  readonly hasImage: boolean;
  readonly hasCustomDeploy: boolean;
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly online: boolean;
  readonly automatedCleaningMode?: string;
  readonly disablePowerOff: boolean;
  /** A remediation of a Machine of the Machine API keeps it off. */
  readonly keptOff?: true;
  /** Nothing is begun on it, because a person said so: no machine chooses it. */
  readonly heldBack?: 'in quarantine' | 'parked';
  /** The host runs something that was not deployed by us. */
  readonly externallyProvisioned?: true;
  /** IP addresses of the network interfaces that have one, in order. */
  readonly ips: readonly string[];
  readonly hostname: string;
}

/** The part of a BareMetalHost from which the facts are read; malformed fields are removed. */
export interface HostObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly spec: {
    readonly consumerRef?: ObjectReference | undefined;
    readonly image?: unknown;
    readonly customDeploy?: unknown;
    readonly userData?: SecretReference | undefined;
    readonly metaData?: SecretReference | undefined;
    readonly networkData?: SecretReference | undefined;
    readonly online: boolean;
    readonly automatedCleaningMode?: string | undefined;
    readonly disablePowerOff: boolean;
    readonly externallyProvisioned?: boolean | undefined;
    readonly credentialsName: string;
  };
  readonly status: {
    readonly state: string;
    readonly errorMessage: string;
    readonly notReady?: string;
    readonly poweredOn: boolean;
    /** IP addresses of the network interfaces, in their order. */
    readonly ips: readonly string[];
    readonly hostname: string;
  };
}

const PAUSED = 'baremetalhost.metal3.io/paused';
const DETACHED = 'baremetalhost.metal3.io/detached';

export function hostFacts({ metadata, spec, status }: HostObject): HostFacts {
  const { namespace, name, uid, resourceVersion, labels, annotations } = metadata;
  const { consumerRef, userData, metaData, networkData, automatedCleaningMode } = spec;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    labels,
    ...(annotations[PAUSED] !== undefined && { paused: annotations[PAUSED] }),
    blocksMove: CLUSTER_ANNOTATIONS.blockMove in annotations,
    unhealthy: UNHEALTHY_ANNOTATIONS.some((key) => key in annotations),
    detached: DETACHED in annotations,
    deleting: metadata.deletionTimestamp !== undefined,
    ...(consumerRef !== undefined && { consumer: consumerRef }),
    hasImage: spec.image !== undefined,
    hasCustomDeploy: spec.customDeploy !== undefined,
    ...defined({ userData, metaData, networkData }),
    online: spec.online,
    ...(automatedCleaningMode !== undefined && { automatedCleaningMode }),
    disablePowerOff: spec.disablePowerOff,
    ...(KEPT_OFF_ANNOTATION in annotations && { keptOff: true }),
    ...heldBackBy(annotations),
    ...(spec.externallyProvisioned && { externallyProvisioned: true }),
    credentialsName: spec.credentialsName,
    ...status,
  };
}

export function heldBackBy(annotations: Readonly<Record<string, string>>): Pick<HostFacts, 'heldBack'> {
  if (STEERING_ANNOTATIONS.quarantine in annotations) return { heldBack: 'in quarantine' };
  return STEERING_ANNOTATIONS.abort in annotations ? { heldBack: 'parked' } : {};
}

/** Who can have a host. */
export interface Claimant extends ObjectName {
  /** `group/version` of a Machine of the Machine API. Absent for a Metal3Machine. */
  readonly api?: string;
}

/** `<namespace>/<name>` of a Metal3Machine; with its API version before it, of a Machine of the Machine API. */
export const claimantKey = ({ namespace, name, api }: Claimant): string =>
  `${api === undefined ? '' : `${api}:`}${namespace}/${name}`;

const MACHINE_KIND = 'Metal3Machine';
const MACHINE_API = 'infrastructure.cluster.x-k8s.io/v1beta2';

/** The value of a host's `consumerRef` for the machine. */
export const consumerOf = ({ namespace, name, api }: Claimant): ObjectReference => ({
  apiVersion: api ?? MACHINE_API,
  kind: kindOf(api),
  name,
  namespace,
});

const kindOf = (api: string | undefined): string => (api === undefined ? MACHINE_KIND : 'Machine');

/** The consumer of a reserved host: its Cluster. */
export const clusterConsumer = ({ namespace, name }: ObjectName): ObjectReference => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  name,
  namespace,
});

/** True when a consumer is this machine, in any API version. */
export const isConsumer = (consumer: ObjectReference | undefined, machine: Claimant): boolean =>
  consumer?.kind === kindOf(machine.api) &&
  consumer.name === machine.name &&
  consumer.namespace === machine.namespace &&
  groupOf(consumer.apiVersion) === groupOf(machine.api ?? MACHINE_API);

/** False for a consumer in another API version than that in which it is written now. */
export const isCurrentConsumer = (
  consumer: ObjectReference | undefined,
  { api }: Pick<Claimant, 'api'> = {},
): boolean => consumer?.apiVersion === (api ?? MACHINE_API);

export const isPausedByCluster = ({ paused }: HostFacts): boolean => paused === PAUSED_BY_CLUSTER;
