import type { BareMetalHostStatus, OperationHistory, ProvisioningStatus } from '../../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { DataImageStatus } from '../../../api/dataimage/types.ts';

/** A status as a CR carries it, less what is added when it is written: hardware, conditions and lastUpdated. */
export type CarriedHostStatus = Omit<BareMetalHostStatus, 'hardware' | 'conditions' | 'lastUpdated'>;

/** The part of a BareMetalHost's status that the host's workflow decides. */
export interface HostRecord extends Omit<CarriedHostStatus, 'provisioning' | 'operationHistory'> {
  readonly provisioning: ProvisioningStatus & { readonly state: ProvisioningState };
  readonly operationHistory: OperationHistory;
}

export interface HostEvent {
  /** Unique in the life of one uid: makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** Of type Warning; all others are Normal, errors too. */
  readonly warning?: true;
}

/** What a DataImage is to show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** It is being deleted and nothing of it is in the drive any more. */
  readonly release: boolean;
}

/** What the workflow hands to the bridge, and what it answers to a query. At most 8 kB. */
export interface HostView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Id of the first run of the workflow's chain. Revisions of different chains cannot be compared. */
  readonly run: string;
  /** Grows with each change of the view, from run to run of one chain. */
  readonly revision: number;
  /** Generation of the BareMetalHost this view takes into account; the present one when it is not told. */
  readonly generation?: number;
  /** True while the BareMetalHost must not vanish. */
  readonly finalizer: boolean;
  readonly status: HostRecord;
  /** status.hardware is to follow the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** Node facts that conditions need. */
  readonly powerFault: boolean;
  /** `OK`, `Warning` or `Critical`; absent when Ironic tells none. */
  readonly health?: string;
  /** Annotations that have been acted on and are to be removed. */
  readonly consumedAnnotations: readonly string[];
  readonly events: readonly HostEvent[];
  /** Of the DataImage of this uid, if there is one. */
  readonly media?: MediaView;
  /** Why the host waits, in words, for people. */
  readonly waitingFor: string;
  /** When a host in backoff tries again, RFC 3339. */
  readonly retryAt?: string;
}
