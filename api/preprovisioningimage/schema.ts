import { z } from 'zod';
import { condition } from '../meta/conditions.ts';
import { anyObject } from '../meta/object-meta.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { IMAGE_FORMATS } from './values.ts';

const format = z.enum(IMAGE_FORMATS);

export const preprovisioningImageSpec = z
  .object({
    networkDataName: z
      .string()
      .describe('Name of a Secret in this namespace with network configuration for the image.')
      .optional(),
    architecture: z.string().describe('CPU architecture of the image, for example x86_64.').optional(),
    acceptFormats: z
      .array(format.describe('An image format: iso or initrd.'))
      .describe('Image formats that the host can boot, the preferred one first.')
      .optional(),
  })
  .describe('Requirements of the host.');
export type PreprovisioningImageSpec = DeepReadonly<z.infer<typeof preprovisioningImageSpec>>;

export const preprovisioningImageStatus = z
  .object({
    imageUrl: z.string().describe('URL of the image; empty while there is none.').optional(),
    kernelUrl: z.string().describe('URL of the kernel that belongs to an initrd.').optional(),
    extraKernelParams: z
      .string()
      .describe('Parameters to add to the kernel command line when an initrd is booted.')
      .optional(),
    format: format.describe('Format of the image: iso or initrd.').optional(),
    networkData: z
      .object({
        name: z.string().describe('Name of the Secret.').optional(),
        version: z.string().describe('resourceVersion of the Secret.').optional(),
      })
      .describe('Secret with the network configuration that is in the image.')
      .optional(),
    architecture: z.string().describe('CPU architecture of the image.').optional(),
    conditions: z
      .array(condition)
      .describe('Conditions of the image: Ready and Error.')
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
      .optional(),
  })
  .describe('The image that was built.');
export type PreprovisioningImageStatus = DeepReadonly<z.infer<typeof preprovisioningImageStatus>>;

/** A PreprovisioningImage as read from the API server. */
export const preprovisioningImage = anyObject.extend({
  spec: preprovisioningImageSpec,
  status: preprovisioningImageStatus.optional(),
});
