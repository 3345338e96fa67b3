import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { failuresSchema } from './failure.ts';
import { inventorySchema } from './inventory.ts';
import type { LabMachine } from './machine.ts';
import { labMachineSchema, labMachinesSchema } from './machine.ts';
import { patternMachine } from './pattern.ts';

/** Failures by the name of their machine. */
export type FailuresByMachine = Readonly<Record<string, LabMachine['failures']>>;

const override = z.strictObject({
  name: z.string(),
  uuid: z.uuid().optional(),
  inventory: inventorySchema.partial().optional(),
  failures: failuresSchema.optional(),
});

/** The content of a machines file: fields that differ from machines of the pattern, or complete additional machines. */
export const overridesSchema = z.strictObject({ machines: z.array(override) });
export type Overrides = z.infer<typeof overridesSchema>;

/** Reads a machines file in YAML or JSON. */
export const readOverrides = async (path: string): Promise<Overrides> => {
  const parsed = overridesSchema.safeParse(parse(await readFile(path, 'utf8')));
  if (!parsed.success) throw new Error(`reading machines from ${path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

const apply = (machines: readonly LabMachine[], change: Overrides['machines'][number]): LabMachine[] => {
  const known = machines.find(({ name }) => name === change.name);
  const merged = labMachineSchema.safeParse({
    ...known,
    ...change,
    inventory: { ...known?.inventory, ...change.inventory },
  });
  if (!merged.success) throw new Error(`machine ${change.name}: ${z.prettifyError(merged.error)}`);
  return known ? machines.map((one) => (one === known ? merged.data : one)) : [...machines, merged.data];
};

/** `count` machines of the pattern with the overrides applied; an override with another name adds a machine. */
export const assembleMachines = (
  count: number,
  overrides: Overrides = { machines: [] },
  failures: FailuresByMachine = {},
): LabMachine[] => {
  const patterned = Array.from({ length: count }, (_, index) => patternMachine(index));
  const machines = overrides.machines.reduce<LabMachine[]>(apply, patterned);
  const unknown = Object.keys(failures).filter((name) => !machines.some((machine) => machine.name === name));
  if (unknown.length > 0) throw new Error(`failures for machines which the lab does not have: ${unknown.join(', ')}`);
  return labMachinesSchema.parse(
    machines.map((machine) => ({ ...machine, failures: failures[machine.name] ?? machine.failures })),
  );
};
