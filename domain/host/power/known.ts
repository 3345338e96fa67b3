import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { traitsOf } from '../../states/table.ts';

/**
 * `powered on`, `powered off`, or '' before the BMC has ever answered: the status of such a host says `poweredOn: false`,
 * whatever is true.
 */
export function powerInWords({ state, poweredOn }: { state: ProvisioningState; poweredOn: boolean }): string {
  if (poweredOn) return 'powered on';
  return traitsOf(state).node.isRegistered ? 'powered off' : '';
}
