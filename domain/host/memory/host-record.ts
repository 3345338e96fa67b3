import type { BareMetalHostStatus, OperationHistory, ProvisioningStatus } from '../../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';

/** A status as stored, without the fields that are added when it is written: hardware, conditions and lastUpdated. */
export type CarriedHostStatus = Omit<BareMetalHostStatus, 'hardware' | 'conditions' | 'lastUpdated'>;

/** The part of a BareMetalHost's status that the host's workflow decides. */
export interface HostRecord extends Omit<CarriedHostStatus, 'provisioning' | 'operationHistory'> {
  readonly provisioning: ProvisioningStatus & { readonly state: ProvisioningState };
  readonly operationHistory: OperationHistory;
}
