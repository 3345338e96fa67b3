import { z } from 'zod';
import { condition } from '../meta/conditions.ts';
import { objectMeta } from '../meta/object-meta.ts';
import { IMAGE_FORMATS } from './values.ts';

const format = z.enum(IMAGE_FORMATS);

export const preprovisioningImageSpec = z
  .object({
    networkDataName: z
      .string()
      .describe('Name of a Secret in this namespace with network configuration to put into the image.')
      .optional(),
    architecture: z.string().describe('CPU architecture the image is to run on, for example x86_64.').optional(),
    acceptFormats: z
      .array(format.describe('A kind of image: iso or initrd.'))
      .describe('Kinds of image the host can boot, the preferred one first.')
      .optional(),
  })
  .describe('What the host needs to boot.');

export const preprovisioningImageStatus = z
  .object({
    imageUrl: z.string().describe('Where the image can be fetched; empty while there is none.').optional(),
    kernelUrl: z.string().describe('Where the kernel that goes with an initrd can be fetched.').optional(),
    extraKernelParams: z
      .string()
      .describe('Parameters to add to the kernel command line when an initrd is booted.')
      .optional(),
    format: format.describe('Kind of the image: iso or initrd.').optional(),
    networkData: z
      .object({
        name: z.string().describe('Name of the Secret.').optional(),
        version: z.string().describe('resourceVersion of the Secret.').optional(),
      })
      .describe('The Secret with network configuration that is in the image.')
      .optional(),
    architecture: z.string().describe('CPU architecture the image runs on.').optional(),
    conditions: z
      .array(condition)
      .describe('Claims about the image: Ready and Error.')
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
      .optional(),
  })
  .describe('What there is to boot.');

/** A PreprovisioningImage as read from the API server. */
export const preprovisioningImage = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: preprovisioningImageSpec,
  status: preprovisioningImageStatus.optional(),
});
