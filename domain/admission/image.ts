import type { Image } from '../../api/baremetalhost/types.ts';
import { parseRequestUri } from '../go/url.ts';
import { checksumProblem } from '../ironic/deployment/image.ts';
import { publicPart } from '../urls/hidden.ts';

const SCHEMES = ['http', 'https', 'ftp', 'gopher', 'oci'];

export function imageProblems(image: Image | undefined): readonly string[] {
  if (image === undefined) return [];
  const url = urlProblem(image.url);
  const checksum = checksumProblem(image);
  return [
    ...(url === undefined ? [] : [`image URL ${publicPart(image.url)} is invalid: ${url}`]),
    ...(checksum === undefined ? [] : [checksum]),
  ];
}

/** Why the URL cannot be downloaded from. */
export function urlProblem(text: string): string | undefined {
  const url = parseRequestUri(text);
  if (url === undefined) return 'not a valid absolute URL';
  return SCHEMES.includes(url.scheme) ? undefined : `invalid scheme in URL, "${url.scheme}" not allowed`;
}
