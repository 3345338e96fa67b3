import { z } from 'zod';
import { preprovisioningImageSpec, preprovisioningImageStatus } from '../../api/preprovisioningimage/schema.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { metadata } from './metadata.ts';

const preprovisioningImage = z.object({
  metadata,
  spec: preprovisioningImageSpec.catch({}),
  status: preprovisioningImageStatus.catch({}),
});
export type PreprovisioningImageRead = z.infer<typeof preprovisioningImage>;

/** A malformed spec or status is read as empty. */
export const readPreprovisioningImage = once((object): PreprovisioningImageRead => preprovisioningImage.parse(object));

/** PreprovisioningImages by the Secret with their network data. */
export const imagesBySecret = byName(
  KINDS.preprovisioningImage,
  ({ object }) => readPreprovisioningImage(object).spec.networkDataName || undefined,
);
