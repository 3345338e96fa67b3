import type { ObjectReference, SecretReference } from '../../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../../api/metal3machine/schema.ts';
import type { ObjectName, ObjectRef } from '../../entity/object-ref.ts';
import type { Claimant, HostFacts } from '../choose-host/host-facts.ts';
import type { Criteria } from '../choose-host/select-host.ts';
import type { LinkAnswer, LinkOrder } from './link.ts';
import type { DataClaimSeen, HostNews, OwnerMachine } from './snapshot.ts';

/** A host, and the machine that must be its consumer before anything is done to it. */
export interface HostOrder {
  readonly host: ObjectRef;
  readonly machine: Claimant;
}

/** The host that a machine had; its uid may be unknown. */
export interface LastHostOrder {
  readonly host: ObjectName;
  readonly machine: Claimant;
}

export interface AssociateOrder {
  /** Among machines that wait for a host, the oldest is served first. */
  readonly machine: Claimant & { readonly uid: string; readonly creationTimestamp: string };
  readonly clusterName: string;
  readonly criteria: Omit<Criteria, 'machine' | 'reuse'>;
  readonly owner: Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;
  /** Claim exactly this host. */
  readonly host?: ObjectRef;
}

export interface DataClaimOrder {
  readonly machine: ObjectRef;
  readonly template: ObjectName;
}

/** Changes to a host's spec; null removes. */
export interface HostChange {
  readonly image?: Metal3MachineSpec['image'] | null;
  readonly customDeploy?: Metal3MachineSpec['customDeploy'] | null;
  readonly userData?: SecretReference | null;
  readonly metaData?: SecretReference | null;
  readonly networkData?: SecretReference | null;
  readonly automatedCleaningMode?: string;
  readonly online?: boolean;
}

export interface HostClaimOrder extends HostOrder {
  /** '' when unknown; otherwise a label on the host and on its BMC Secret. */
  readonly clusterName: string;
  /** The host may be reserved with this label: for machines like this one, or for a Cluster that is gone. */
  readonly reuse?: string;
}

export interface ReleaseOrder extends HostOrder {
  readonly clusterName: string;
  /** Absent when hosts are not reserved, because the Cluster is deleted or being deleted. */
  readonly reuse?: { readonly cluster: ObjectName } & Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;
}

export interface LabelOrder {
  readonly cluster: ObjectName;
  readonly node: string;
  readonly prefixes: readonly string[];
  /** The host's labels with one of the prefixes. */
  readonly labels: Readonly<Record<string, string>>;
}

export type MachineAction =
  /** Choose a host and claim it. */
  | { readonly name: 'associate'; readonly order: AssociateOrder }
  | { readonly name: 'look at last host'; readonly order: LastHostOrder }
  /** clusterctl must not move anything before the host is paused. */
  | { readonly name: 'block move'; readonly order: HostOrder }
  | { readonly name: 'pause host'; readonly order: HostOrder }
  | { readonly name: 'unpause host'; readonly order: HostOrder & { readonly clusterName: string } }
  | { readonly name: 'request data'; readonly order: DataClaimOrder }
  | { readonly name: 'fill host'; readonly order: HostOrder & { readonly change: HostChange } }
  /** `told` is the last known problem: the action waits for a different result. */
  | { readonly name: 'find node'; readonly order: LinkOrder; readonly knownProblem?: string }
  | { readonly name: 'sync labels'; readonly order: LabelOrder }
  | { readonly name: 'let data go'; readonly order: ObjectName }
  | { readonly name: 'deprovision host'; readonly order: HostOrder & { readonly change: HostChange } }
  | { readonly name: 'release host'; readonly order: ReleaseOrder };

/** A change of a Secret's metadata by us: its versions around the change. Its content stayed as it was. */
export interface SecretMarked {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export type HostAnswer =
  /** The host as it is now; null when no host has that uid any more. */
  | {
      readonly kind: 'host';
      readonly host: HostFacts | null;
      /** Message of a policy that forbids to write labels or annotations: the rest was written without them. */
      readonly refused?: string;
      /** Labels of the BMC's Secret were changed. */
      readonly secret?: SecretMarked;
    }
  /**
   * The host has another consumer; null: it has none, and may not be given to the machine. `why`: a predicate, such as
   * "is parked".
   */
  | { readonly kind: 'taken'; readonly by: ObjectReference | null; readonly why?: string };

export interface NodeLinkAnswer {
  readonly kind: 'node';
  readonly answer: LinkAnswer;
}

export type MachineAnswer =
  | {
      readonly kind: 'associated';
      readonly host: HostFacts;
      readonly viaReuse: boolean;
      /** The same message, for the claim. */
      readonly refused?: string;
    }
  /** The search is repeated after any later news. */
  | { readonly kind: 'no host'; readonly reason: string; readonly news: HostNews }
  /** `claimed`: the name of a host whose claim has an unknown outcome. */
  | { readonly kind: 'invalid'; readonly message: string; readonly claimed?: string }
  | HostAnswer
  | { readonly kind: 'claim'; readonly claim: DataClaimSeen | null }
  /** `again`: a linked Node is searched again until Cluster API has found it. */
  | (NodeLinkAnswer & { readonly again?: true })
  | { readonly kind: 'done' };

/** How the choice and the claim of a host end. */
export type AssociateAnswer = Extract<
  MachineAnswer,
  { readonly kind: 'associated' | 'no host' | 'invalid' | 'host' | 'taken' }
>;
