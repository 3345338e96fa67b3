import type { ObjectReference, SecretReference } from '../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../api/metal3machine/types.ts';
import type { HostFacts } from './host-facts.ts';
import type { LinkAnswer, LinkOrder } from './provider-id.ts';
import type { Criteria } from './select-host.ts';
import type { DataClaimSeen, HostNews, ObjectName, OwnerMachine } from './snapshot.ts';

/** A host, and the machine that it has to be of for anything to be done to it. */
export interface HostOrder {
  readonly host: ObjectName & { readonly uid: string };
  readonly machine: ObjectName;
}

export interface AssociateOrder {
  /** Of several that wait for a host the oldest goes first. */
  readonly machine: ObjectName & { readonly uid: string; readonly creationTimestamp: string };
  readonly clusterName: string;
  readonly criteria: Omit<Criteria, 'machine' | 'reuse'>;
  readonly owner: Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;
  /** Take this one and no other. */
  readonly host?: ObjectName & { readonly uid: string };
}

export interface DataClaimOrder {
  readonly machine: ObjectName & { readonly uid: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly template: ObjectName;
}

/** What is to be different about a host; null removes. */
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
  /** '' when it is not known; else the host and the Secret of its BMC are labelled with it. */
  readonly clusterName: string;
  /** By this label the host may be kept: for machines like this one, or for a Cluster that is no more. */
  readonly reuse?: string;
}

export interface ReleaseOrder extends HostOrder {
  readonly clusterName: string;
  /** Absent where hosts are not kept: its Cluster is gone or going. */
  readonly reuse?: { readonly cluster: ObjectName } & Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;
}

export interface LabelOrder {
  readonly cluster: ObjectName;
  readonly node: string;
  readonly prefixes: readonly string[];
  /** Of the host, with one of the prefixes. */
  readonly labels: Readonly<Record<string, string>>;
}

export type MachineAction =
  /** Choose a host and claim it. */
  | { readonly name: 'associate'; readonly order: AssociateOrder }
  /** clusterctl is to move nothing before the host is paused. */
  | { readonly name: 'block move'; readonly order: HostOrder }
  | { readonly name: 'pause host'; readonly order: HostOrder }
  | { readonly name: 'unpause host'; readonly order: HostOrder & { readonly clusterName: string } }
  | { readonly name: 'request data'; readonly order: DataClaimOrder }
  | { readonly name: 'fill host'; readonly order: HostOrder & { readonly change: HostChange } }
  /** `told` is what was last known to be amiss: another answer is waited for. */
  | { readonly name: 'find node'; readonly order: LinkOrder; readonly told?: string }
  | { readonly name: 'sync labels'; readonly order: LabelOrder }
  | { readonly name: 'let data go'; readonly order: ObjectName }
  | { readonly name: 'deprovision host'; readonly order: HostOrder & { readonly change: HostChange } }
  | { readonly name: 'release host'; readonly order: ReleaseOrder };

export type HostAnswer =
  /** The host as it is now; null: there is none of that uid any more. */
  | { readonly kind: 'host'; readonly host: HostFacts | null }
  /** It is not this machine's. */
  | { readonly kind: 'taken'; readonly by: ObjectReference | null };

export interface NodeLinkAnswer {
  readonly kind: 'node';
  readonly answer: LinkAnswer;
}

export type MachineAnswer =
  | { readonly kind: 'associated'; readonly host: HostFacts; readonly viaReuse: boolean }
  /** Asked again as soon as there are news later than these. */
  | { readonly kind: 'no host'; readonly reason: string; readonly news: HostNews }
  | { readonly kind: 'invalid'; readonly message: string }
  | HostAnswer
  | { readonly kind: 'claim'; readonly claim: DataClaimSeen | null }
  /** `again`: a Node that is linked is looked for again until Cluster API has found it. */
  | (NodeLinkAnswer & { readonly again?: true })
  | { readonly kind: 'done' };
