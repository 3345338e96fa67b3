import type {
  HardwareRaidVolume,
  Raid,
  RootDeviceHints,
  SoftwareRaidVolume,
} from '../../../api/baremetalhost/types.ts';
import { same } from '../../same.ts';
import type { IronicJson } from '../node/node-json.ts';
import { rootDevice } from '../node/root-device.ts';

/** A step of manual cleaning in Ironic's API. */
export interface CleanStep {
  readonly interface: 'raid' | 'deploy' | 'bios' | 'firmware';
  readonly step: string;
  readonly args?: IronicJson;
}

/** The desired volumes and those requested last; undefined when none were requested or the last result is unknown. */
export interface RaidChange {
  readonly target: Raid | undefined;
  readonly actual: Raid | undefined;
  /** `raid_interface` of the BMC's scheme. */
  readonly schemeInterface: string;
}

const NO_RAID = 'no-raid';
const SOFTWARE = 'agent';

const hardwareOf = (raid: Raid | undefined): readonly HardwareRaidVolume[] => raid?.hardwareRAIDVolumes ?? [];
const softwareOf = (raid: Raid | undefined): readonly SoftwareRaidVolume[] => raid?.softwareRAIDVolumes ?? [];

export const hasRootVolume = (raid: Raid | null | undefined): boolean =>
  softwareOf(raid ?? undefined).some(({ rootVolume }) => rootVolume);

/** True when the deploy agent builds the volumes: their members are the server's own disks. */
export const isSoftwareRaid = (raid: Raid | null | undefined): boolean =>
  hardwareOf(raid ?? undefined).length === 0 && softwareOf(raid ?? undefined).length > 0;

/** The deploy agent creates and deletes software volumes. */
export function raidInterface({ target, actual, schemeInterface }: RaidChange): string {
  if (target === undefined) return schemeInterface;
  return softwareOf(target).length > 0 || softwareOf(actual).length > 0 ? SOFTWARE : schemeInterface;
}

/** Why the volumes cannot be built, in the API's words; undefined when they can. */
export function raidProblem({
  target,
  schemeInterface,
}: Pick<RaidChange, 'target' | 'schemeInterface'>): string | undefined {
  const hardware = hardwareOf(target);
  if (hardware.length > 0) {
    return schemeInterface === NO_RAID
      ? `RAID settings are defined, but the node's driver ${NO_RAID} does not support RAID`
      : hardwareProblem(hardware);
  }
  const [first] = softwareOf(target);
  return first === undefined || first.level === '1'
    ? undefined
    : 'the level in first volume of software raid must be RAID1';
}

function hardwareProblem(volumes: readonly HardwareRaidVolume[]): string | undefined {
  for (const [index, { name, controller, physicalDisks = [], numberOfPhysicalDisks: number }] of volumes.entries()) {
    const first = volumes.findIndex((other) => other.name === name);
    if (name && first < index) return `the names(${name}) of volume[${index}] and volume[${first}] are repeated`;
    if (physicalDisks.length === 0) continue;
    if (!controller) return "'controller' must be specified if 'physicalDisks' are used";
    if (number !== undefined && number !== physicalDisks.length) {
      return (
        `the numberOfPhysicalDisks[${number}] is not same as ` +
        `number of items in physicalDisks[${physicalDisks.length}]`
      );
    }
  }
  return undefined;
}

const DELETE: CleanStep = { interface: 'raid', step: 'delete_configuration' };
const ERASE: CleanStep = { interface: 'deploy', step: 'erase_devices_metadata' };
const CREATE: CleanStep = { interface: 'raid', step: 'create_configuration' };

/**
 * Steps from the existing to the desired volumes. None for hardware volumes when the spec has none; an empty list
 * deletes them. Existing volumes are never extended: all are deleted first.
 */
export function raidSteps({ target, actual, schemeInterface }: RaidChange): readonly CleanStep[] {
  if (target?.softwareRAIDVolumes != null) {
    const [wanted, there] = [softwareOf(target), softwareOf(actual)];
    if (same(wanted.map(softwareDisk), there.map(softwareDisk))) return [];
    return wanted.length === 0 ? [DELETE, ERASE] : [DELETE, ERASE, CREATE];
  }
  if (schemeInterface === NO_RAID || target?.hardwareRAIDVolumes == null) return [];
  // Volumes on a controller are unknown until they were requested once.
  if (actual?.hardwareRAIDVolumes != null && sameHardware(target, actual)) return [];
  return hardwareOf(target).length === 0 ? [DELETE] : [DELETE, CREATE];
}

const sameHardware = (a: Raid | undefined, b: Raid | undefined): boolean =>
  same(hardwareOf(a).map(hardwareDisk), hardwareOf(b).map(hardwareDisk));

/** True for the same wish: what Ironic gets is compared, so a size of 0 equals none. An absent list is no empty one. */
export const sameRaid = (a: Raid | undefined, b: Raid | undefined): boolean =>
  (a === undefined) === (b === undefined) &&
  (a?.hardwareRAIDVolumes == null) === (b?.hardwareRAIDVolumes == null) &&
  (a?.softwareRAIDVolumes == null) === (b?.softwareRAIDVolumes == null) &&
  sameHardware(a, b) &&
  same(softwareOf(a).map(softwareDisk), softwareOf(b).map(softwareDisk));

/** The volumes in Ironic's format; without hints or a marked volume the image is written to the first one. */
export function logicalDisks(target: Raid | undefined, hints: RootDeviceHints | undefined): readonly IronicJson[] {
  const hardware = hardwareOf(target);
  const disks = hardware.length > 0 ? hardware.map(hardwareDisk) : softwareOf(target).map(softwareDisk);
  if (hints !== undefined || hasRootVolume(target)) return disks;
  return disks.map((disk, index) => (index === 0 ? { ...disk, is_root_volume: true } : disk));
}

const size = (gibibytes: number | undefined): number | 'MAX' => gibibytes || 'MAX';

const hardwareDisk = (volume: HardwareRaidVolume): IronicJson => ({
  size_gb: size(volume.sizeGibibytes),
  raid_level: volume.level,
  ...(volume.name && { volume_name: volume.name }),
  ...(volume.rotational !== undefined && { disk_type: volume.rotational ? 'hdd' : 'ssd' }),
  ...(volume.numberOfPhysicalDisks !== undefined && { number_of_physical_disks: volume.numberOfPhysicalDisks }),
  ...(volume.controller && { controller: volume.controller }),
  ...(volume.physicalDisks?.length && { physical_disks: volume.physicalDisks }),
});

const softwareDisk = (volume: SoftwareRaidVolume): IronicJson => ({
  size_gb: size(volume.sizeGibibytes),
  raid_level: volume.level,
  is_root_volume: volume.rootVolume,
  controller: 'software',
  ...(volume.physicalDisks?.length && { physical_disks: volume.physicalDisks.map((hints) => rootDevice(hints)) }),
});
