import type { SecretReference } from '../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../api/metal3machine/types.ts';
import type { Seen } from '../entity/seen.ts';
import type { Condition, LegacyCondition } from '../entity/view.ts';
import type { HostFacts } from './host-facts.ts';
import type { ProviderIdFormat } from './provider-id.ts';

export interface ObjectName {
  readonly name: string;
  readonly namespace: string;
}

/** The Machine of Cluster API that owns the Metal3Machine. */
export interface OwnerMachine {
  readonly name: string;
  readonly namespace: string;
  /** Its spec's; the name of the Cluster. */
  readonly clusterName: string;
  readonly failureDomain?: string;
  /** The object that makes its user data. */
  readonly configRef?: string;
  readonly dataSecretName?: string;
  /** As its older condition BootstrapReady says. */
  readonly bootstrapReady: boolean;
  /** Name of its Node, once Cluster API has linked them. */
  readonly nodeRef?: string;
  /** Of its control plane, for a control plane machine. */
  readonly controlPlane?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** Of the MachineSet that made it. */
  readonly machineSet?: { readonly name: string; readonly uid: string };
}

export interface ClusterSeen extends ObjectName {
  readonly paused: boolean;
  readonly deleting: boolean;
  /** As its older condition InfrastructureReady says. */
  readonly infrastructureReady: boolean;
}

export interface Metal3ClusterSeen extends ObjectName {
  readonly cloudProvider: boolean;
  readonly paused: boolean;
  readonly labelSyncPrefixes?: string;
}

export interface DataClaimSeen {
  readonly deleting: boolean;
  /** It has the finalizer that keeps it for the machine. */
  readonly held: boolean;
  readonly renderedData?: { readonly name: string; readonly namespace: string };
  readonly errorMessage?: string;
}

export interface MachineDataSeen extends ObjectName {
  readonly ready: boolean;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly errorMessage?: string;
  /** What is missing while it is not ready, where nothing is wrong. */
  readonly waitingFor?: string;
}

/** The Metal3MachineTemplate that the machine was made from. */
export interface TemplateSeen {
  readonly paused: boolean;
  readonly automatedCleaningMode?: Metal3MachineSpec['automatedCleaningMode'];
}

/** What a machine's status carries: read only by a workflow that does not know the machine yet. */
export interface CarriedMachineStatus {
  readonly provisioned?: boolean;
  readonly addresses?: readonly MachineAddress[];
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly renderedData?: { readonly name: string; readonly namespace: string };
  readonly failureReason?: string;
  readonly failureMessage?: string;
  readonly conditions: readonly Condition[];
  readonly legacyConditions: readonly LegacyCondition[];
}

export interface MachineAddress {
  readonly type: 'Hostname' | 'ExternalIP' | 'InternalIP' | 'ExternalDNS' | 'InternalDNS';
  readonly address: string;
}

/** How often a bridge has told a machine that there may be a host for it. */
export interface HostNews {
  /** Another one each time that the bridge starts: it has forgotten who waits. */
  readonly bridge: string;
  readonly count: number;
}

export interface MachineSettings {
  readonly providerIdFormat: ProviderIdFormat;
  /** A host that is given back stays on while it is cleaned. */
  readonly fastTrack: boolean;
}

/** A Metal3Machine as the bridge last saw it, with all that its decisions depend on: losing, doubling or delaying one changes nothing. */
export interface MachineSnapshot extends Seen {
  readonly labels: Readonly<Record<string, string>>;
  readonly paused: boolean;
  /** It has our finalizer. */
  readonly held: boolean;
  /** The annotation that names its host, as it is written. */
  readonly hostAnnotation?: string;
  readonly spec: Metal3MachineSpec;
  readonly settings: MachineSettings;
  /** null: an owner is named but was not found. */
  readonly owner?: OwnerMachine | null;
  readonly cluster?: ClusterSeen;
  readonly metal3Cluster?: Metal3ClusterSeen;
  /** That which the annotation names or, without one, that which says it is the machine's. */
  readonly host?: HostFacts;
  readonly claim?: DataClaimSeen;
  readonly data?: MachineDataSeen;
  readonly template?: TemplateSeen;
  /** Only of a machine without a host. */
  readonly hostNews?: HostNews;
  /** Version of its Node when somebody was last seen to have changed labels there that are copied from its host. */
  readonly nodeDrift?: string;
  readonly status?: CarriedMachineStatus;
}
