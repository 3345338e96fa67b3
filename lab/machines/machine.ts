import { z } from 'zod';
import { failuresSchema } from './failure.ts';
import { inventorySchema } from './inventory.ts';

/** One made-up machine: what its BMC is called, what an agent finds in it, and how it misbehaves. */
export const labMachineSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'a DNS label'),
  uuid: z.uuid(),
  inventory: inventorySchema,
  failures: failuresSchema.default([]),
});

export type LabMachine = z.infer<typeof labMachineSchema>;

export const labMachinesSchema = z.array(labMachineSchema);

/** The MAC address a BareMetalHost is known by. */
export const bootMac = (machine: LabMachine): string => {
  const [first] = machine.inventory.nics;
  if (first === undefined) throw new Error(`machine ${machine.name} has no NIC`);
  return first.mac;
};
