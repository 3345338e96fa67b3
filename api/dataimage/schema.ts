import { z } from 'zod';
import { anyObject } from '../meta/object-meta.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { integer, time } from '../meta/scalars.ts';

export const dataImageSpec = z
  .object({ url: z.string().describe('URL from which the BMC downloads the image.') })
  .describe('Desired content of the virtual drive of the BareMetalHost of the same name.');

export const dataImageStatus = z
  .object({
    lastReconciled: time().describe('Time at which the virtual drive was last reconciled with this object.').optional(),
    attachedImage: z
      .object({ url: z.string().describe('URL of the image; empty when the drive is empty.') })
      .describe('Image that was last inserted.')
      .optional(),
    error: z
      .object({
        count: integer().describe('Number of consecutive failed attempts.'),
        message: z.string().describe('Error of the last attempt; empty when it succeeded.'),
      })
      .describe('Errors of the virtual drive.')
      .optional(),
  })
  .describe('Content of the virtual drive.');
export type DataImageStatus = DeepReadonly<z.infer<typeof dataImageStatus>>;

/** A DataImage as read from the API server. */
export const dataImage = anyObject.extend({ spec: dataImageSpec, status: dataImageStatus.optional() });
