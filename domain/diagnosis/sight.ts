import type { ErrorType, ProvisioningState } from '../../api/baremetalhost/values.ts';
import type { UsualTime } from '../usual-times/usual-times.ts';

/**
 * The facts about a host, a machine or a cluster and the objects on which it depends: mostly what the objects
 * themselves show. Plain JSON.
 */
export interface Sight {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Set when Temporal was asked and does not answer. */
  readonly temporal?: SeenOutage;
  readonly host?: SeenHost;
  readonly machine?: SeenMachine;
  /** A Machine of the Machine API, which has its host without the objects above it. */
  readonly machineApi?: SeenMachine;
  readonly cluster?: SeenCluster;
  /** The hosts among which a machine without a host chooses. */
  readonly candidates?: readonly SeenCandidate[];
  /** Secrets that are named and do not exist, as far as Secrets may be read. */
  readonly missingSecrets?: readonly MissingSecret[];
}

export interface SeenOutage {
  /** The address in words, with the proxy on the way if there is one. */
  readonly where: string;
  readonly why: string;
}

export interface SeenObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly conditions: readonly SeenCondition[];
  /** Other texts of the object that say what is wrong. */
  readonly texts: readonly SeenText[];
}

export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly since: string;
  readonly observedGeneration?: number;
}

export interface SeenText {
  /** Such as `status.errorMessage`. */
  readonly field: string;
  readonly words: string;
}

export interface SeenHost extends SeenObject {
  readonly state: ProvisioningState;
  /** UUID of its Ironic node; '' for none. */
  readonly nodeId: string;
  readonly operationalStatus: string;
  readonly errorType?: ErrorType;
  readonly errorCount: number;
  readonly provisioningFailCount: number;
  readonly poweredOn: boolean;
  readonly online: boolean;
  readonly wantsImage: boolean;
  /** Without user and query; '' for none. */
  readonly imageUrl: string;
  readonly bmcAddress: string;
  readonly credentialsName: string;
  /** Name of the Secret with the login of the image's registry; '' for none. */
  readonly registrySecret: string;
  /** The host's consumer, such as `Metal3Machine worker-1`; '' for none. */
  readonly consumer: string;
  /** When the host entered its state, as far as its object shows it; ms. */
  readonly since?: number;
  /** How long the state usually takes; absent for a state at rest. */
  readonly usual?: SeenUsual;
}

export interface SeenUsual extends Pick<UsualTime, 'usualMs' | 'count' | 'isMeasured'> {
  /** Model of the host's hardware. */
  readonly model: string;
}

/** A Metal3Machine, with what its Machine says; or a Machine of the Machine API, which has no owner here. */
export interface SeenMachine extends SeenObject {
  /** Name of its host; '' for none. */
  readonly host: string;
  /** Name of its Machine, '' without one. */
  readonly owner: string;
  /** Name of the Node; '' before it is known. */
  readonly node: string;
}

/** A Cluster, with what its Metal3Cluster says. */
export interface SeenCluster extends SeenObject {
  readonly paused: boolean;
  /** Name of its Metal3Cluster, '' without one: a Cluster with a topology gives it another name than its own. */
  readonly metal3Cluster: string;
}

export interface SeenCandidate {
  readonly name: string;
  /** Why it is not chosen; absent when it could be. */
  readonly obstacle?: string;
}

export interface MissingSecret {
  readonly name: string;
  /** The field that names it, such as `spec.userData`. */
  readonly field: string;
}

/** `BareMetalHost metal/node-1`. */
export const nameOf = ({ kind, namespace, name }: Pick<SeenObject, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace}/${name}`;

/** All that an object says about what is wrong, the most exact first. */
export const wordsOf = ({ texts, conditions }: SeenObject): readonly SeenText[] => [
  ...texts,
  ...conditions
    .filter(({ message, status, type }) => message !== '' && (status !== 'True' || isBadWhenTrue(type)))
    .map(({ type, message }) => ({ field: `condition ${type}`, words: message })),
];

/** Conditions that exist only while something is wrong. */
const isBadWhenTrue = (type: string): boolean => type === 'WriteRefused' || type === 'WorkflowFailing';
