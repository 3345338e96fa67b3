import type { Image } from '../../../api/baremetalhost/types.ts';
import { same } from '../../same.ts';
import { imageUrlProblem } from '../../urls/image-url.ts';
import type { IronicJson } from '../node/node-json.ts';

/** What to deploy: an image, a custom deploy step, or both. */
export interface Deployment {
  readonly image?: Image;
  readonly customDeployMethod?: string;
}

/** Keys of instance_info that describe the image of a node; null: the key must be absent. */
export type ImageInfo = {
  readonly image_source: string | null;
  readonly boot_iso: string | null;
  readonly image_disk_format: string | null;
  readonly image_checksum: string | null;
  readonly image_os_hash_algo: string | null;
  readonly image_os_hash_value: string | null;
};

const NO_IMAGE: ImageInfo = {
  image_source: null,
  boot_iso: null,
  image_disk_format: null,
  image_checksum: null,
  image_os_hash_algo: null,
  image_os_hash_value: null,
};

export const isLiveIso = ({ image }: Deployment): boolean => image?.format === 'live-iso';

export const isOci = ({ url }: Pick<Image, 'url'>): boolean => url.toLowerCase().startsWith('oci://');

const CHECKSUM_TYPES: readonly string[] = ['auto', 'md5', 'sha256', 'sha512'];

export function imageInfo({ image, customDeployMethod }: Deployment): ImageInfo {
  if (image === undefined || image.url === '') return NO_IMAGE;
  // A custom step handles the image itself; no live ISO is booted for it.
  if (image.format === 'live-iso' && customDeployMethod === undefined) return { ...NO_IMAGE, boot_iso: image.url };
  const source = { ...NO_IMAGE, image_source: image.url, image_disk_format: image.format ?? null };
  if (isOci(image) || !image.checksum) return source;
  const { checksum, checksumType } = image;
  const algorithm = checksumType === undefined || checksumType === 'auto' ? '' : checksumType;
  // A custom step never gets the old field without a type: it reads image_os_hash_* only.
  return algorithm === '' && customDeployMethod === undefined
    ? { ...source, image_checksum: checksum }
    : { ...source, image_os_hash_algo: algorithm, image_os_hash_value: checksum };
}

const IDENTITY = ['image_source', 'boot_iso', 'image_checksum', 'image_os_hash_algo', 'image_os_hash_value'] as const;

/** True when a node's instance_info has this image: same source and same checksum. */
export function isSameImage(instanceInfo: IronicJson, deployment: Deployment): boolean {
  const wanted = imageInfo(deployment);
  return IDENTITY.every((key) => same(instanceInfo[key] ?? null, wanted[key]));
}

/** Why the image cannot be deployed, in the API's words; undefined when it can. */
export function imageProblem({ image, customDeployMethod }: Deployment): string | undefined {
  if (image === undefined || image.url === '') {
    return customDeployMethod === undefined ? 'Validation failed: no image is given' : undefined;
  }
  const problem = imageUrlProblem(image.url) ?? checksumProblem(image);
  return problem === undefined ? undefined : `Validation failed: ${problem}`;
}

/** The error of the image's checksum, in the API's words; undefined when there is none. */
export function checksumProblem(image: Image): string | undefined {
  const { checksum, checksumType = 'auto' } = image;
  if (isOci(image)) {
    if (!checksum) return undefined;
    return 'spec.image.checksum must be empty for OCI images (oci:// images have embedded checksums)';
  }
  if (image.format === 'live-iso') return undefined;
  if (!checksum) return 'checksum is required for normal images';
  if (CHECKSUM_TYPES.includes(checksumType)) return undefined;
  return `unknown checksumType ${checksumType}, supported are ${CHECKSUM_TYPES.join(', ')}`;
}
