import { parseRequestUri } from '../go/url.ts';
import { publicPart } from './hidden.ts';

/** From where Ironic may be told to read an image. For others, such as `file`, it would read its own files. */
const SCHEMES = ['http', 'https', 'ftp', 'gopher', 'oci'];

/** Why no image can be downloaded from the URL; undefined when it can. */
function problemOf(text: string): string | undefined {
  const url = parseRequestUri(text);
  if (url === undefined) return 'not a valid absolute URL';
  return SCHEMES.includes(url.scheme) ? undefined : `invalid scheme in URL, "${url.scheme}" not allowed`;
}

/** The same in the API's words, without the secrets in the URL. */
export function imageUrlProblem(url: string): string | undefined {
  const problem = problemOf(url);
  return problem === undefined ? undefined : `image URL ${publicPart(url)} is invalid: ${problem}`;
}

/** The same for an image in a virtual drive, whose URL is quoted. */
export function mediumUrlProblem(url: string): string | undefined {
  const problem = problemOf(url);
  return problem === undefined ? undefined : `URL "${publicPart(url)}" is invalid: ${problem}`;
}
