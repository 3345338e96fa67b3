import { z } from 'zod';
import { failuresSchema } from './failure.ts';
import { inventorySchema } from './inventory.ts';

/** One made-up machine: what its BMC is called, what an agent finds in it, and how it misbehaves. */
export const machineSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'a DNS label'),
  uuid: z.uuid(),
  inventory: inventorySchema,
  failures: failuresSchema.default([]),
});

export type Machine = z.infer<typeof machineSchema>;

export const machinesSchema = z.array(machineSchema);

/** The MAC address a BareMetalHost is known by. */
export const bootMac = (machine: Machine): string => {
  const [first] = machine.inventory.nics;
  if (first === undefined) throw new Error(`machine ${machine.name} has no NIC`);
  return first.mac;
};
