import type { Image } from '../../api/baremetalhost/types.ts';
import { parseRequestUri } from '../go/url.ts';
import { checksumProblem } from '../ironic/deployment/image.ts';

const SCHEMES = ['http', 'https', 'ftp', 'gopher', 'oci'];

export function imageProblems(image: Image | undefined): readonly string[] {
  if (image === undefined) return [];
  const url = urlProblem(image.url);
  const checksum = checksumProblem(image);
  return [
    ...(url === undefined ? [] : [`image URL ${image.url} is invalid: ${url}`]),
    ...(checksum === undefined ? [] : [checksum]),
  ];
}

/** Why the URL cannot be downloaded from. */
export function urlProblem(text: string): string | undefined {
  const parsed = parseRequestUri(text);
  if (!parsed.ok) return parsed.message;
  const { scheme } = parsed.url;
  return SCHEMES.includes(scheme) ? undefined : `invalid scheme in URL, "${scheme}" not allowed`;
}
