import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import type { BmcAddress } from '../bmc/address.ts';
import { macProblem } from './mac-address.ts';

/** The requirements of the host that this type of BMC does not meet. */
export function bmcProblems({ type, kind }: BmcAddress, host: BareMetalHost, inspects: boolean): readonly string[] {
  const { raid, bootMACAddress, bootMode } = host.spec;
  const needsMac = kind.needsMac || (!inspects && kind.family !== 'fake');
  const mac = bootMACAddress ? macProblem(bootMACAddress) : undefined;
  return [
    ...((raid?.hardwareRAIDVolumes ?? []).length > 0 && kind.interfaces.raid_interface === 'no-raid'
      ? [`BMC driver ${type} does not support configuring RAID`]
      : []),
    ...(needsMac && !bootMACAddress ? [`BMC driver ${type} requires a BootMACAddress value`] : []),
    ...(mac === undefined ? [] : [mac]),
    ...(bootMode === 'UEFISecureBoot' && !kind.secureBoot ? [`BMC driver ${type} does not support secure boot`] : []),
  ];
}
