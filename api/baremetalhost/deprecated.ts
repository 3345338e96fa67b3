import { z } from 'zod';
import { time } from '../meta/scalars.ts';

/** Fields that are kept because manifests carry them; nothing acts on them. */
const setting = (description: string): z.ZodOptional<z.ZodBoolean> =>
  z
    .boolean()
    .describe(description)
    .meta({ enum: [true, false] })
    .optional();

export const firmwareConfig = z.object({
  virtualizationEnabled: setting('Whether the processor offers virtualization.'),
  simultaneousMultithreadingEnabled: setting('Whether one core shows up as several processors.'),
  sriovEnabled: setting('Whether PCI devices can be split into virtual ones.'),
});

export const taint = z
  .object({
    key: z.string().describe('Name of the taint.'),
    value: z.string().describe('Value that goes with the name.').optional(),
    effect: z.string().describe('NoSchedule, PreferNoSchedule or NoExecute.'),
    timeAdded: time().describe('When the taint was set.').optional(),
  })
  .describe('Keeps pods away from a node.');
