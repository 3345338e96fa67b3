import { createHmac } from 'node:crypto';
import { hasSecrets, withSeal } from '../../domain/urls/hidden.ts';

const DIGITS = 32;

/**
 * A URL with a user or a query is replaced by one with a digest of it, which notices each change and goes into
 * histories. Any other text is unchanged. The digest depends on the uid of the object that the URL belongs to, so that
 * nobody sees that two objects have the same password, and tables of digests are useless.
 */
export const sealUrl = (uid: string, url: string): string =>
  hasSecrets(url) ? withSeal(url, createHmac('sha256', uid).update(url).digest('hex').slice(0, DIGITS)) : url;

/** An image whose URL, and the URL of its checksum, may contain secrets. */
interface AnyImage {
  readonly url: string;
  readonly checksum?: string | undefined;
}

export function sealImage<Image extends AnyImage>(uid: string, image: Image): Image {
  const url = sealUrl(uid, image.url);
  const checksum = image.checksum === undefined ? undefined : sealUrl(uid, image.checksum);
  if (url === image.url && checksum === image.checksum) return image;
  return { ...image, url, ...(checksum !== undefined && { checksum }) };
}

/** The URL of the object that belongs to this sealed URL; undefined when the object has no such URL. */
export const openedUrl = (uid: string, sealed: string, urls: readonly string[]): string | undefined =>
  urls.find((url) => sealUrl(uid, url) === sealed);

/** The image with its secrets, as far as the object still has them. */
export function openedImage<Image extends AnyImage>(uid: string, image: Image, urls: readonly string[]): Image {
  const { url, checksum } = image;
  return {
    ...image,
    url: openedUrl(uid, url, urls) ?? url,
    ...(checksum !== undefined && { checksum: openedUrl(uid, checksum, urls) ?? checksum }),
  };
}
