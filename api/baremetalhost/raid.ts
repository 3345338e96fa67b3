import { z } from 'zod';
import { integer, text } from '../meta/scalars.ts';
import { rootDeviceHints } from './root-device-hints.ts';

const sizeGibibytes = integer({ minimum: 0 })
  .describe('Size of the volume in GiB. As large as the disks allow when left out or 0.')
  .optional();

export const hardwareRaidVolume = z
  .object({
    level: z
      .enum(['0', '1', '2', '5', '6', '1+0', '5+0', '6+0'])
      .describe('RAID level of the volume; a controller may know only some of them.'),
    name: text({ maxLength: 64 })
      .describe('Name of the volume, unlike those of its siblings. Made up when left out.')
      .optional(),
    sizeGibibytes,
    numberOfPhysicalDisks: integer({ minimum: 1 })
      .describe('How many disks the volume spans. The fewest the level needs when left out.')
      .optional(),
    controller: z.string().describe('Name of the controller that builds the volume.').optional(),
    physicalDisks: z
      .array(z.string())
      .describe('Names of the disks to use, written as the controller names them.')
      .optional(),
    rotational: z
      .boolean()
      .describe('true for spinning disks only, false for solid-state disks only. Either when left out.')
      .optional(),
  })
  .describe('A volume built by a RAID controller.');

export const softwareRaidVolume = z
  .object({
    level: z.enum(['0', '1', '1+0']).describe('RAID level of the volume.'),
    sizeGibibytes,
    physicalDisks: z
      .array(rootDeviceHints)
      .describe('Hints that each pick one disk, at least two.')
      .meta({ minItems: 2 })
      .optional(),
    rootVolume: z
      .boolean()
      .describe('Whether the image goes onto this volume. At most one volume can be chosen so.')
      .default(false),
  })
  .describe('A volume built by the Linux kernel out of whole disks or parts of them.');

export const raid = z.object({
  hardwareRAIDVolumes: z
    .array(hardwareRaidVolume)
    .describe(
      'Volumes to be built by a RAID controller. The first takes the image unless rootDeviceHints say otherwise. An empty list deletes all volumes; left out, they stay as they are.',
    )
    .nullable()
    .optional(),
  softwareRAIDVolumes: z
    .array(softwareRaidVolume)
    .describe(
      'One or two volumes to be built in software; existing ones are deleted first. The first has to be of level 1, so that the host still boots when a disk breaks. Cannot be used together with hardwareRAIDVolumes.',
    )
    .meta({ maxItems: 2 })
    .nullable()
    .optional(),
});
