import type { Step } from '../entity/entity.ts';
import type { ObjectName, ObjectRef } from '../entity/object-ref.ts';
import type { RemediationMemory } from './memory.ts';
import type { SickHost } from './sick-host.ts';

interface MachineOrder extends ObjectRef {
  /** `group/version` of a Machine of the Machine API. */
  readonly api?: string;
}

/** A Metal3Remediation, and the attempt that its status must show: a request of any other attempt is outdated. */
export interface Attempt {
  readonly remediation: ObjectRef;
  readonly retryCount: number;
  readonly lastRemediated: string;
}

/** A request to a host, on behalf of the Machine. */
export interface RemediationHostOrder extends Attempt {
  readonly host: ObjectRef;
  readonly machine: MachineOrder;
  readonly metal3Machine: string;
}

/** Removes the annotations that keep the host off. */
export interface LetOnOrder extends Pick<RemediationHostOrder, 'remediation' | 'host' | 'metal3Machine'> {
  /** Sent because the Metal3Remediation is gone. If it exists, nothing is done. */
  readonly vanished?: true;
  /** `group/version` of a Machine of the Machine API. */
  readonly api?: string;
}

/** A request about the Node of the machine on that host. */
export interface RemediationNodeOrder extends RemediationHostOrder {
  /**
   * The Cluster, in the namespace of the Machine. Not used for a Machine of the Machine API, whose Node is in this
   * cluster.
   */
  readonly cluster: ObjectName;
  readonly node: string;
}

/** Hands the Machine over to Cluster API; one of the Machine API is deleted. */
export interface HandOverOrder extends Attempt {
  /** null: the host does not exist. `name` is that of the Metal3Machine's annotation. */
  readonly host: RemediationHostOrder['host'] | null;
  readonly machine: RemediationHostOrder['machine'];
  readonly metal3Machine: string;
  readonly message: string;
}

export type RemediationAction =
  | { readonly name: 'power off'; readonly order: RemediationHostOrder }
  /** Removes these annotations, which keep the host off. */
  | {
      readonly name: 'power on';
      readonly order: LetOnOrder;
      readonly keys: readonly string[];
    }
  /** While the host is off: its Pods and volumes may move to other Nodes. */
  | { readonly name: 'free node'; readonly order: RemediationNodeOrder }
  /** Waits until the Node has no Pods that are being deleted and no volumes. `until`: ms since the epoch. */
  | { readonly name: 'await drain'; readonly order: RemediationNodeOrder; readonly until: number }
  /** Returns labels and annotations to the Node, and removes the taint, if the Node is there. */
  | {
      readonly name: 'return node';
      readonly order: RemediationNodeOrder;
      /** `nodeNews` of the Machine at this time. */
      readonly news: string;
      /** The time of this look, and from when on a look is the last; ms since the epoch. */
      readonly at: number;
      readonly deadline: number;
    }
  | { readonly name: 'hand over'; readonly order: HandOverOrder };

export type NodeAnswer =
  /** `left`: its Pods and volumes did not go in time. */
  | { readonly kind: 'node'; readonly node: 'absent' | 'draining' | 'freed' | 'left' | 'returned' }
  | { readonly kind: 'unreachable'; readonly message: string };

export type RemediationAnswer =
  /** null: the host is gone. */
  { readonly kind: 'host'; readonly host: SickHost | null } | NodeAnswer | { readonly kind: 'handed over' };

export type RemediationStep = Step<RemediationMemory, RemediationAction>;
