import { namesOf, v1alpha1Resource } from '../custom-resource.ts';
import { column } from '../meta/columns.ts';
import { preprovisioningImage } from './kind.ts';
import { preprovisioningImageSpec, preprovisioningImageStatus } from './schema.ts';

export const preprovisioningImageResource = v1alpha1Resource({
  ...namesOf(preprovisioningImage),
  shortNames: ['ppimg'],
  description:
    'The image with the deploy agent for the BareMetalHost of the same name, which boots it before it is provisioned.',
  columns: [
    column('Ready', ".status.conditions[?(@.type=='Ready')].status", 'Whether the image is ready to boot'),
    column('Reason', ".status.conditions[?(@.type=='Ready')].reason", 'Reason for the Ready condition'),
  ],
  spec: preprovisioningImageSpec,
  status: preprovisioningImageStatus,
});
