import type { Metal3MachineSpec, Metal3MachineTemplateSpec } from '../../../api/metal3machine/types.ts';
import { type FieldProblem, forbidden } from '../field-problem.ts';
import { alike, type Judged, type Rules } from '../rules.ts';
import { MACHINE_STEERING } from '../steering-annotations.ts';
import { machineImageProblems } from './image.ts';

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
