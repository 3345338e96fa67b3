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

/** What a DataImage is to show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** It is being deleted, and its image is no longer in the drive. */
  readonly release: boolean;
}

/** The `ofKind` of a BareMetalHost's view. */
export interface HostOfKind {
  /** status.hardware is to follow the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** Of the DataImage of this uid, if there is one. */
  readonly media?: MediaView;
}
