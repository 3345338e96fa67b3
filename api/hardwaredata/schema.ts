import { z } from 'zod';
import { hardwareDetails } from '../baremetalhost/hardware.ts';
import { objectMeta } from '../meta/object-meta.ts';

export const hardwareDataSpec = z
  .object({ hardware: hardwareDetails.describe('Hardware that inspection found.').optional() })
  .describe('Known hardware of the BareMetalHost of the same name.');

/** A HardwareData as read from the API server. */
export const hardwareData = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: hardwareDataSpec,
});
