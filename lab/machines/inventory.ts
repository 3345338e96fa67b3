import { z } from 'zod';

const mac = z
  .string()
  .regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, 'a MAC address in lower case, such as 52:54:00:00:00:01');

const disk = z.strictObject({
  name: z.string().startsWith('/dev/'),
  bytes: z.int().positive(),
  rotational: z.boolean().default(false),
  serial: z.string().min(1),
  wwn: z.string().min(1),
  hctl: z.string().default('0:0:0:0'),
  model: z.string().default('Lab Disk'),
  vendor: z.string().default('Lab'),
});

const nic = z.strictObject({
  name: z.string().min(1),
  mac,
  ip: z.string().optional(),
  hasCarrier: z.boolean().default(true),
  speedMbps: z.int().positive().default(10_000),
});

/** What an agent finds on a machine. */
export const inventorySchema = z.strictObject({
  cpu: z.strictObject({
    count: z.int().positive(),
    model: z.string(),
    architecture: z.enum(['x86_64', 'aarch64']),
    mhz: z.number().positive(),
    flags: z.array(z.string()),
  }),
  ramMiB: z.int().positive(),
  disks: z.array(disk).min(1),
  nics: z.array(nic).min(1),
  system: z.strictObject({ manufacturer: z.string(), product: z.string(), serial: z.string() }),
  firmware: z.strictObject({ vendor: z.string(), version: z.string(), date: z.string() }),
});

export type LabInventory = z.infer<typeof inventorySchema>;
