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

/** What the DataImage should show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** It is being deleted, and its image is not in the drive any more. */
  readonly release: boolean;
}

/** The `ofKind` of a BareMetalHost's view. */
export interface HostOfKind {
  /** status.hardware follows the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** For the DataImage with this uid; absent without one. */
  readonly media?: MediaView;
}
