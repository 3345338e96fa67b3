import type { CustomResource } from '../custom-resource.ts';
import { hardwareDataSpec } from './schema.ts';

export const hardwareDataResource: CustomResource = {
  group: 'metal3.io',
  kind: 'HardwareData',
  plural: 'hardwaredata',
  singular: 'hardwaredata',
  shortNames: ['hd'],
  description: 'Hardware that inspection found in the BareMetalHost of the same name.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        {
          name: 'Age',
          type: 'date',
          jsonPath: '.metadata.creationTimestamp',
          description: 'Time since the hardware was inspected',
        },
      ],
      spec: hardwareDataSpec,
      hasStatusSubresource: false,
    },
  ],
};
