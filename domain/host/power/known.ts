import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';

/** States in which the BMC of a host has not answered yet: its status then says `poweredOn: false`, whatever is true. */
const BEFORE_ANSWER: readonly ProvisioningState[] = ['', 'unmanaged', 'registering'];

/** `powered on`, `powered off`, or '' before the BMC has ever answered. */
export function powerInWords({ state, poweredOn }: { state: ProvisioningState; poweredOn: boolean }): string {
  if (poweredOn) return 'powered on';
  return BEFORE_ANSWER.includes(state) ? '' : 'powered off';
}
