import type { CustomResource } from '../custom-resource.ts';
import { preprovisioningImageSpec, preprovisioningImageStatus } from './schema.ts';

export const preprovisioningImageResource: CustomResource = {
  group: 'metal3.io',
  kind: 'PreprovisioningImage',
  plural: 'preprovisioningimages',
  singular: 'preprovisioningimage',
  shortNames: ['ppimg'],
  description: 'The image with the deploy agent that a BareMetalHost of the same name boots before it is provisioned.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        {
          name: 'Ready',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].status",
          description: 'Whether the image can be booted',
        },
        {
          name: 'Reason',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
          description: 'Why it can be, or can not',
        },
      ],
      spec: preprovisioningImageSpec,
      status: preprovisioningImageStatus,
      hasStatusSubresource: true,
    },
  ],
};
