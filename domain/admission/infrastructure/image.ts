import type { Metal3MachineSpec } from '../../../api/metal3machine/types.ts';
import { parseRequestUri } from '../../go/url.ts';
import { publicPart } from '../../urls/hidden.ts';
import { type FieldProblem, forbidden, invalid, required } from '../field-problem.ts';

/** Problems of the image of a machine without a custom deploy step. */
export function machineImageProblems(image: Metal3MachineSpec['image'], path: string): readonly FieldProblem[] {
  const { url = '', checksum, checksumType, diskFormat } = image ?? {};
  if (url === '' && checksum === undefined) return [required(path, 'either image or customDeploy is required')];
  const isOci = url.toLowerCase().startsWith('oci://');
  return [
    ...urlProblems(url, `${path}.URL`),
    ...(isOci ? ociProblems(checksum, checksumType, path) : []),
    ...(isOci || diskFormat === 'live-iso' ? [] : checksumProblems(checksum, `${path}.Checksum`)),
  ];
}

/** Without the secrets in the URL. */
const invalidUrl = (path: string, url: string): FieldProblem => invalid(path, publicPart(url), 'not a valid URL');

const urlProblems = (url: string, path: string): readonly FieldProblem[] => {
  if (url === '') return [required(path, 'cannot be empty')];
  return parseRequestUri(url) === undefined ? [invalidUrl(path, url)] : [];
};

const ociProblems = (checksum = '', checksumType: string | undefined, path: string): readonly FieldProblem[] => [
  ...(checksum === '' ? [] : [forbidden(`${path}.Checksum`, 'must be empty for OCI images')]),
  ...(checksumType === undefined ? [] : [forbidden(`${path}.ChecksumType`, 'must be empty for OCI images')]),
];

/** A checksum is either the sum itself or the URL of a file with it. */
function checksumProblems(checksum = '', path: string): readonly FieldProblem[] {
  if (checksum === '') return [required(path, 'cannot be empty')];
  return /^https?:\/\//.test(checksum) && parseRequestUri(checksum) === undefined ? [invalidUrl(path, checksum)] : [];
}
