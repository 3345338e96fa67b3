import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../../api/metal3machine/schema.ts';
import type { ObjectName } from '../../entity/object-ref.ts';
import type { Seen } from '../../entity/seen.ts';
import type { Condition, LegacyCondition } from '../../entity/view.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import type { ProviderIdFormat } from './link.ts';

/** The Machine of Cluster API that owns the Metal3Machine. */
export interface OwnerMachine extends ObjectName {
  /** From its spec: the name of the Cluster. */
  readonly clusterName: string;
  readonly failureDomain?: string;
  /** The object that generates its user data. */
  readonly configRef?: string;
  readonly dataSecretName?: string;
  /** From its legacy condition BootstrapReady. */
  readonly bootstrapReady: boolean;
  /** Name of its Node, when Cluster API has linked them. */
  readonly nodeRef?: string;
  /** Its control plane object, for a control plane machine. */
  readonly controlPlane?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** The MachineSet that owns it. */
  readonly machineSet?: { readonly name: string; readonly uid: string };
}

export interface ClusterSeen extends ObjectName {
  readonly paused: boolean;
  readonly deleting: boolean;
  /** From its legacy condition InfrastructureReady. */
  readonly infrastructureReady: boolean;
}

export interface Metal3ClusterSeen extends ObjectName {
  readonly cloudProvider: boolean;
  readonly paused: boolean;
  readonly labelSyncPrefixes?: string;
}

export interface DataClaimSeen {
  readonly deleting: boolean;
  /** It has the finalizer for the machine. */
  readonly hasFinalizer: boolean;
  readonly renderedData?: { readonly name: string; readonly namespace: string };
  readonly errorMessage?: string;
}

export interface MachineDataSeen extends ObjectName {
  readonly ready: boolean;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly errorMessage?: string;
  /** What it waits for while it is not ready and has no error. */
  readonly waitingFor?: string;
}

/** The Metal3MachineTemplate of the machine. */
export interface TemplateSeen {
  readonly paused: boolean;
  readonly automatedCleaningMode?: Metal3MachineSpec['automatedCleaningMode'];
}

/** The machine's current status. Read only by a workflow without memory of the machine. */
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

/** The addresses of a machine on this host. */
export function machineAddresses({ ips, hostname }: HostFacts): readonly MachineAddress[] {
  const internal = ips.map((address): MachineAddress => ({ type: 'InternalIP', address }));
  if (hostname === '') return internal;
  return [...internal, { type: 'Hostname', address: hostname }, { type: 'InternalDNS', address: hostname }];
}

/** How often a bridge has signalled that there may be a host for the machine. */
export interface HostNews {
  /** Changes at each start of the bridge, because the bridge then has forgotten which machines wait. */
  readonly bridge: string;
  readonly count: number;
}

export interface MachineSettings {
  readonly providerIdFormat: ProviderIdFormat;
  /** A released host stays powered on while it is cleaned. */
  readonly fastTrack: boolean;
}

/**
 * A Metal3Machine as the bridge last saw it, with everything that its decisions depend on. A lost, repeated or late
 * snapshot changes nothing.
 */
export interface MachineSnapshot extends Seen {
  readonly labels: Readonly<Record<string, string>>;
  readonly paused: boolean;
  /** It has our finalizer. */
  readonly hasFinalizer: boolean;
  /** The name of the retry for which an annotation asks. */
  readonly retry?: string;
  /** The annotation with the name of its host, as written. */
  readonly hostAnnotation?: string;
  readonly spec: Metal3MachineSpec;
  readonly settings: MachineSettings;
  /** null: an owner is named but was not found. */
  readonly owner?: OwnerMachine | null;
  readonly cluster?: ClusterSeen;
  readonly metal3Cluster?: Metal3ClusterSeen;
  /** The host named in the annotation or, without one, the host whose consumer is the machine. */
  readonly host?: HostFacts;
  readonly claim?: DataClaimSeen;
  readonly data?: MachineDataSeen;
  readonly template?: TemplateSeen;
  /** Only for a machine without a host. */
  readonly hostNews?: HostNews;
  /** Version of its Node when another client was last seen to have changed labels that are copied from the host. */
  readonly nodeDrift?: string;
  readonly status?: CarriedMachineStatus;
}
