import { z } from 'zod';
import { integer } from '../meta/scalars.ts';

export const rootDeviceHints = z
  .object({
    deviceName: z
      .string()
      .describe('Device name such as /dev/sda, or a link to it under /dev/disk/by-path. Compared whole.')
      .optional(),
    hctl: z.string().describe('SCSI address host:channel:target:lun, for example 0:0:0:0. Compared whole.').optional(),
    model: z.string().describe('Text to be found in the model of the disk.').optional(),
    vendor: z.string().describe('Text to be found in the vendor of the disk.').optional(),
    serialNumber: z.string().describe('Serial number of the disk. Compared whole.').optional(),
    minSizeGigabytes: integer({ minimum: 0 })
      .describe('Size in gigabytes below which a disk is passed over.')
      .optional(),
    wwn: z.string().describe('World wide name of the disk. Compared whole.').optional(),
    wwnWithExtension: z
      .string()
      .describe("World wide name followed by the vendor's extension. Compared whole.")
      .optional(),
    wwnVendorExtension: z
      .string()
      .describe("The vendor's extension of the world wide name alone. Compared whole.")
      .optional(),
    rotational: z.boolean().describe('true for spinning disks only, false for solid-state disks only.').optional(),
  })
  .describe('Tells disks apart; a disk fits when it agrees with every hint that is given.');
