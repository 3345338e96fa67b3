import { z } from 'zod';
import { boundedText, integer } from '../meta/scalars.ts';
import { rootDeviceHints } from './root-device-hints.ts';

const sizeGibibytes = integer({ minimum: 0 })
  .describe('Size of the volume in GiB. When 0 or left out, the volume is as large as the disks allow.')
  .optional();

export const hardwareRaidVolume = z
  .object({
    level: z
      .enum(['0', '1', '2', '5', '6', '1+0', '5+0', '6+0'])
      .describe('RAID level of the volume. A controller may support only some levels.'),
    name: boundedText({ maxLength: 64 })
      .describe('Name of the volume, unique on this host. Generated when left out.')
      .optional(),
    sizeGibibytes,
    numberOfPhysicalDisks: integer({ minimum: 1 })
      .describe('Number of disks in the volume. When left out, the minimum for the level.')
      .optional(),
    controller: z.string().describe('Name of the RAID controller that builds the volume.').optional(),
    physicalDisks: z.array(z.string()).describe('Names of the disks to use, as the controller names them.').optional(),
    rotational: z
      .boolean()
      .describe('true uses rotating disks only, false uses solid-state disks only. Any disk when left out.')
      .optional(),
  })
  .describe('A volume built by a RAID controller.');

export const softwareRaidVolume = z
  .object({
    level: z.enum(['0', '1', '1+0']).describe('RAID level of the volume.'),
    sizeGibibytes,
    physicalDisks: z
      .array(rootDeviceHints)
      .describe('Hints that select one disk each; at least two.')
      .meta({ minItems: 2 })
      .optional(),
    rootVolume: z
      .boolean()
      .describe('Whether the image is written to this volume. At most one volume can be the root volume.')
      .default(false),
  })
  .describe('A volume of software RAID, built by the Linux kernel.');

export const raid = z.object({
  hardwareRAIDVolumes: z
    .array(hardwareRaidVolume)
    .describe(
      'Volumes that a RAID controller builds. The image goes to the first one unless rootDeviceHints select another disk. An empty list deletes all volumes; when left out, volumes are not changed.',
    )
    .nullable()
    .optional(),
  softwareRAIDVolumes: z
    .array(softwareRaidVolume)
    .describe(
      'One or two volumes of software RAID; existing ones are deleted first. The first must be of level 1, so that the host boots after a disk failure. The image goes to the first one unless rootVolume or rootDeviceHints select another disk. Cannot be combined with hardwareRAIDVolumes.',
    )
    .meta({ maxItems: 2 })
    .nullable()
    .optional(),
});
