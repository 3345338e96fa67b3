import type { BootMode, InspectionMode } from '../../api/baremetalhost/values.ts';
import type { BmcAddress } from './address.ts';

export interface HostDemands {
  readonly inspectionMode: InspectionMode;
  readonly bootMode: BootMode;
  readonly bootMACAddress?: string;
  readonly disablePowerOff: boolean;
}

export interface Surroundings {
  readonly provisioningNetworkDisabled: boolean;
  /** Ironic's API supports disable_power_off (1.95). */
  readonly canKeepPowerOn: boolean;
}

/** Why a host with this BMC cannot be managed with its spec, in the words of the API; undefined when it can. */
export function refusal({ type, kind }: BmcAddress, host: HostDemands, around: Surroundings): string | undefined {
  if (host.inspectionMode === 'fast' && kind.fastInspection === null) {
    return `BMC driver ${type} does not support fast (out-of-band) inspection`;
  }
  if (host.bootMode === 'UEFISecureBoot' && !kind.secureBoot) return `BMC driver ${type} does not support secure boot`;
  if (around.provisioningNetworkDisabled && kind.needsProvisioningNetwork) {
    return `BMC driver ${type} requires a provisioning network`;
  }
  if (host.disablePowerOff && !around.canKeepPowerOn) {
    return 'current ironic version does not support DisablePowerOff, refusing to manage node';
  }
  const needsMac = kind.needsMac || (host.inspectionMode === 'disabled' && kind.family !== 'fake');
  return needsMac && !host.bootMACAddress ? `BMC driver ${type} requires a BootMACAddress value` : undefined;
}
