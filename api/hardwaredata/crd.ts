import { z } from 'zod';
import { hardwareDetails } from '../baremetalhost/hardware.ts';
import type { CustomResource } from '../custom-resource.ts';
import { column } from '../meta/columns.ts';

const hardwareDataSpec = z
  .object({ hardware: hardwareDetails.describe('Hardware that inspection found.').optional() })
  .describe('Known hardware of the BareMetalHost of the same name.');

export const hardwareDataResource: CustomResource = {
  group: 'metal3.io',
  kind: 'HardwareData',
  plural: 'hardwaredata',
  shortNames: ['hd'],
  description: 'Hardware that inspection found in the BareMetalHost of the same name.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        column('Age', '.metadata.creationTimestamp', 'Time since the hardware was inspected', { type: 'date' }),
      ],
      spec: hardwareDataSpec,
      hasStatusSubresource: false,
    },
  ],
};
