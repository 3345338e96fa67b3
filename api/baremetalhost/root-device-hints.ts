import { z } from 'zod';
import { integer } from '../meta/scalars.ts';

export const rootDeviceHints = z
  .object({
    deviceName: z
      .string()
      .describe('Device name such as /dev/sda, or a link to it under /dev/disk/by-path. Must match exactly.')
      .optional(),
    hctl: z
      .string()
      .describe('SCSI address host:channel:target:lun, for example 0:0:0:0. Must match exactly.')
      .optional(),
    model: z.string().describe('Text that the model of the disk must contain.').optional(),
    vendor: z.string().describe('Text that the vendor of the disk must contain.').optional(),
    serialNumber: z.string().describe('Serial number of the disk. Must match exactly.').optional(),
    minSizeGigabytes: integer({ minimum: 0 }).describe('Minimum size of the disk in gigabytes.').optional(),
    wwn: z.string().describe('World wide name of the disk. Must match exactly.').optional(),
    wwnWithExtension: z
      .string()
      .describe("World wide name with the vendor's extension. Must match exactly.")
      .optional(),
    wwnVendorExtension: z
      .string()
      .describe("The vendor's extension of the world wide name. Must match exactly.")
      .optional(),
    rotational: z
      .boolean()
      .describe('true selects rotating disks only, false selects solid-state disks only.')
      .optional(),
  })
  .describe('Criteria that select a disk; a disk must satisfy all of them.');
