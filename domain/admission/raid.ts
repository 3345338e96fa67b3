import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';

type Raid = NonNullable<BareMetalHostSpec['raid']>;
type HardwareVolume = NonNullable<Raid['hardwareRAIDVolumes']>[number];

export function raidProblems({ raid, rootDeviceHints }: BareMetalHostSpec): readonly string[] {
  const hardware = raid?.hardwareRAIDVolumes ?? [];
  const software = raid?.softwareRAIDVolumes ?? [];
  const roots = software.filter(({ rootVolume }) => rootVolume);
  return [
    ...(hardware.length > 0 && software.length > 0
      ? ['hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time']
      : []),
    ...hardware.flatMap(diskProblems),
    ...(roots.length > 1 ? ['softwareRAIDVolumes[*].rootVolume can only be set once'] : []),
    ...(roots.length === 1 && rootDeviceHints !== undefined
      ? ['softwareRAIDVolumes[*].rootVolume and rootDeviceHints can not be set at the same time']
      : []),
    ...software.flatMap(({ rootVolume, level }, index) =>
      rootVolume && level !== '1' ? [`softwareRAIDVolumes[${index}] with rootVolume set must use RAID level 1`] : [],
    ),
  ];
}

function diskProblems(volume: HardwareVolume, index: number): readonly string[] {
  const { physicalDisks = [], controller, numberOfPhysicalDisks: wanted } = volume;
  if (physicalDisks.length === 0) return [];
  return [
    ...(controller ? [] : [`'physicalDisks' specified without 'controller' in hardware RAID volume ${index}`]),
    ...(wanted === undefined || wanted === physicalDisks.length
      ? []
      : [
          `the 'numberOfPhysicalDisks'[${wanted}] and number of 'physicalDisks'[${physicalDisks.length}] is not same for volume ${index}`,
        ]),
  ];
}
