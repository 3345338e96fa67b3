import { z } from 'zod';
import { time } from '../meta/scalars.ts';

/** Fields without effect. They exist because users' manifests contain them. */
const setting = (description: string): z.ZodOptional<z.ZodBoolean> =>
  z
    .boolean()
    .describe(description)
    .meta({ enum: [true, false] })
    .optional();

export const firmwareConfig = z.object({
  virtualizationEnabled: setting('Whether the processor supports virtualization.'),
  simultaneousMultithreadingEnabled: setting('Whether hyper-threading is on.'),
  sriovEnabled: setting('Whether SR-IOV is on.'),
});

export const taint = z
  .object({
    key: z.string().describe('Name of the taint.'),
    value: z.string().describe('Value of the taint.').optional(),
    effect: z.string().describe('NoSchedule, PreferNoSchedule or NoExecute.'),
    timeAdded: time().describe('Time at which the taint was set.').optional(),
  })
  .describe('Keeps pods away from a node.');
