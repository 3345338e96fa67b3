import { z } from 'zod';
import { objectMeta } from '../meta/object-meta.ts';
import { integer, time } from '../meta/scalars.ts';

export const dataImageSpec = z
  .object({ url: z.string().describe('Where the image can be fetched by the management controller.') })
  .describe('What is to be in the virtual drive of the BareMetalHost of the same name.');

export const dataImageStatus = z
  .object({
    lastReconciled: time().describe('When the virtual drive was last looked at on behalf of this object.').optional(),
    attachedImage: z
      .object({ url: z.string().describe('Its address; empty when the drive is.') })
      .describe('The image that was put into the drive last.')
      .optional(),
    error: z
      .object({
        count: integer().describe('Attempts that failed in a row.'),
        message: z.string().describe('Why the last one failed; empty when it did not.'),
      })
      .describe('What went wrong with the drive.')
      .optional(),
  })
  .describe('What is in the virtual drive.');

/** A DataImage as read from the API server. */
export const dataImage = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: dataImageSpec,
  status: dataImageStatus.optional(),
});
