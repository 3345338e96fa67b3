import type { CustomResource } from '../custom-resource.ts';
import { preprovisioningImageSpec, preprovisioningImageStatus } from './schema.ts';

export const preprovisioningImageResource: CustomResource = {
  group: 'metal3.io',
  kind: 'PreprovisioningImage',
  plural: 'preprovisioningimages',
  singular: 'preprovisioningimage',
  shortNames: ['ppimg'],
  description:
    'The image with the deploy agent for the BareMetalHost of the same name, which boots it before it is provisioned.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        {
          name: 'Ready',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].status",
          description: 'Whether the image is ready to boot',
        },
        {
          name: 'Reason',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
          description: 'Reason for the Ready condition',
        },
      ],
      spec: preprovisioningImageSpec,
      status: preprovisioningImageStatus,
      hasStatusSubresource: true,
    },
  ],
};
