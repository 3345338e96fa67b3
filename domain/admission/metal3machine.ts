import type { Metal3MachineSpec, Metal3MachineTemplateSpec } from '../../api/metal3machine/schema.ts';
import { parseRequestUri } from '../go/url.ts';
import { publicPart } from '../urls/hidden.ts';
import { type FieldProblem, forbidden, invalid, required } from './field-problem.ts';
import { alike, type Judged, type Rules } from './rules.ts';
import { MACHINE_STEERING } from './steering-annotations.ts';

const SECRETS = ['userData', 'metaData', 'networkData'] as const;

/** With a custom deploy step the image is optional and not checked. */
const deployProblems = ({ customDeploy, image }: Metal3MachineSpec, path: string): readonly FieldProblem[] =>
  (customDeploy?.method ?? '') === '' ? machineImageProblems(image, path) : [];

/** What is accepted, and does less than it seems. */
const imageWarnings = ({ image }: Metal3MachineSpec): readonly string[] =>
  image?.diskFormat === 'live-iso'
    ? [
        'the image is a live ISO, which gets no config drive: it sees neither the bootstrap data of its Machine nor other user data, metadata and network data',
      ]
    : [];

export const metal3MachineRules: Rules<Judged<Metal3MachineSpec>> = {
  ...alike<Judged<Metal3MachineSpec>>(({ metadata, spec }) => [
    ...deployProblems(spec, 'Spec.Image'),
    ...SECRETS.filter((field) => ![undefined, '', metadata.namespace].includes(spec[field]?.namespace)).map((field) =>
      forbidden(`spec.${field}.namespace`, 'cross-namespace secret references are not allowed'),
    ),
  ]),
  steering: MACHINE_STEERING,
  warnings: ({ spec }) => imageWarnings(spec),
};

export const metal3MachineTemplateRules: Rules<Judged<Metal3MachineTemplateSpec>> = {
  ...alike<Judged<Metal3MachineTemplateSpec>>(({ spec }) =>
    deployProblems(spec.template.spec, 'Spec.Template.Spec.Image'),
  ),
  warnings: ({ spec }) => imageWarnings(spec.template.spec),
};

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
