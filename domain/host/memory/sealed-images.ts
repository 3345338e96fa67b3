import type { Image } from '../../../api/baremetalhost/types.ts';
import { hasSecrets, isSameUrl, isSealed, publicPart, withSeal } from '../../urls/hidden.ts';
import type { HostMemory } from './memory.ts';
import type { HostSnapshot } from './snapshot.ts';

/** The digest of no URL. */
const UNKNOWN = '0'.repeat(32);

/**
 * Runs that are older than sealed URLs remember URLs with secrets. These are replaced by the sealed URLs of the
 * snapshot, or, when the snapshot has another image, by a sealed URL that fits no image.
 */
export function withSealedImages(memory: HostMemory, { spec, dataImage }: Omit<HostSnapshot, 'status'>): HostMemory {
  const { status, attempted, finished, media } = memory;
  const images = [status.provisioning.image, status.lastAttemptedImage, finished?.image];
  const urls = [...images.flatMap((image) => [image?.url, image?.checksum]), attempted?.url, media?.url];
  // A bridge that does not seal sends URLs with secrets.
  const isSealing = [spec.image?.url, spec.image?.checksum, dataImage?.url].every((url) => !hasSecrets(url ?? ''));
  if (!isSealing || !urls.some((url) => url !== undefined && hasSecrets(url))) return memory;

  const known = [spec.image?.url, spec.image?.checksum, dataImage?.url];
  const sealed = (url: string): string => {
    if (!hasSecrets(url)) return url;
    const same = known.find((one) => one !== undefined && isSealed(one) && isSameUrl(one, url));
    return same ?? withSeal(publicPart(url), UNKNOWN);
  };
  const sealedImage = (image: Image): Image => ({
    ...image,
    url: sealed(image.url),
    ...(image.checksum !== undefined && { checksum: sealed(image.checksum) }),
  });
  const { image } = status.provisioning;
  return {
    ...memory,
    status: {
      ...status,
      ...(status.lastAttemptedImage && { lastAttemptedImage: sealedImage(status.lastAttemptedImage) }),
      provisioning: { ...status.provisioning, ...(image && { image: sealedImage(image) }) },
    },
    attempted: attempted && { ...attempted, url: sealed(attempted.url) },
    finished: finished && { ...finished, ...(finished.image && { image: sealedImage(finished.image) }) },
    ...(media && { media: { ...media, url: sealed(media.url) } }),
  };
}
