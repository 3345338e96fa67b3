import type { BareMetalHostStatus, OperationHistory, ProvisioningStatus } from '../../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { DataImageStatus } from '../../../api/dataimage/types.ts';

/** A status as stored, without the fields that are added when it is written: hardware, conditions and lastUpdated. */
export type CarriedHostStatus = Omit<BareMetalHostStatus, 'hardware' | 'conditions' | 'lastUpdated'>;

/** The part of a BareMetalHost's status that the host's workflow decides. */
export interface HostRecord extends Omit<CarriedHostStatus, 'provisioning' | 'operationHistory'> {
  readonly provisioning: ProvisioningStatus & { readonly state: ProvisioningState };
  readonly operationHistory: OperationHistory;
}

export interface HostEvent {
  /** Unique for one uid: makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** The Event has type Warning; without it Normal, also for errors. */
  readonly warning?: true;
}

/** What a DataImage should show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** It is being deleted, and its image is no longer in the drive. */
  readonly release: boolean;
}

/** The view that the workflow publishes and returns to a query. At most 8 kB. */
export interface HostView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Id of the first run of the workflow's chain. Revisions of different chains cannot be compared. */
  readonly run: string;
  /** Grows with each change of the view, across continue-as-new. */
  readonly revision: number;
  /** Generation of the BareMetalHost that this view is based on; the current one when absent. */
  readonly generation?: number;
  /** The BareMetalHost must keep our finalizer. */
  readonly finalizer: boolean;
  readonly status: HostRecord;
  /** status.hardware should follow the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** Properties of the node for the conditions. */
  readonly powerFault: boolean;
  /** `OK`, `Warning` or `Critical`; absent when Ironic reports none. */
  readonly health?: string;
  /** Handled annotations that should be removed. */
  readonly consumedAnnotations: readonly string[];
  readonly events: readonly HostEvent[];
  /** For the DataImage with this uid, if there is one. */
  readonly media?: MediaView;
  /** Why the host waits, in words. */
  readonly waitingFor: string;
  /** When a host in backoff tries again, RFC 3339. */
  readonly retryAt?: string;
}
