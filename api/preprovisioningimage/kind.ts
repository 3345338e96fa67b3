import { METAL3 } from '../groups.ts';
import { FOLLOWED, type Kind } from '../kind.ts';
import { IMAGE_FINALIZERS } from './values.ts';

export const preprovisioningImage = {
  kind: 'PreprovisioningImage',
  apiVersion: METAL3,
  plural: 'preprovisioningimages',
  finalizers: [IMAGE_FINALIZERS.builder, IMAGE_FINALIZERS.host],
  conditions: ['Error', 'Ready'],
  rights: { bridge: FOLLOWED, workers: { object: ['create', 'get', 'patch'] } },
} as const satisfies Kind;
