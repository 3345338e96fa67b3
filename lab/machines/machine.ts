import { z } from 'zod';
import { failuresSchema } from './failure.ts';
import { inventorySchema } from './inventory.ts';

/** One simulated machine: the name of its BMC system, what an agent finds on it, and its failures. */
export const labMachineSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'a DNS label'),
  uuid: z.uuid(),
  inventory: inventorySchema,
  failures: failuresSchema.default([]),
});

export type LabMachine = z.infer<typeof labMachineSchema>;

export const labMachinesSchema = z.array(labMachineSchema);

/** The boot MAC address for a BareMetalHost. */
export const bootMac = (machine: LabMachine): string => {
  const [first] = machine.inventory.nics;
  if (first === undefined) throw new Error(`machine ${machine.name} has no NIC`);
  return first.mac;
};
