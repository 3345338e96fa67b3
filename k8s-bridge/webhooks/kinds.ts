import { z } from 'zod';
import { hardwareDetails } from '../../api/baremetalhost/hardware.ts';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import { structural } from '../../api/structural.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { dataImageRules } from '../../domain/admission/dataimage.ts';
import { denial } from '../../domain/admission/denial.ts';
import { type Admitted, isJudged, problemsOf, type Rules } from '../../domain/admission/rules.ts';
import { type AdmittedKind, UnreadableObject } from './admitted.ts';
import { infrastructureKinds } from './infrastructure-kinds.ts';
import { look } from './look.ts';

export interface KindsOptions {
  readonly fakeHardware: boolean;
}

/** One line a kind. */
export const admittedKinds = ({ fakeHardware }: KindsOptions): readonly AdmittedKind[] => [
  admitted('BareMetalHost', readHost, hostRules({ schemas: ANNOTATIONS, fakeHardware })),
  admitted('DataImage', (object) => dataImage.parse(object), dataImageRules),
  ...infrastructureKinds,
];

const ANNOTATIONS = { status: structural(bareMetalHostStatus), hardwareDetails: structural(hardwareDetails) };

function readHost(object: unknown): Extract<ReturnType<typeof parseBareMetalHost>, { readonly ok: true }>['host'] {
  const parsed = parseBareMetalHost(object);
  if (parsed.ok) return parsed.host;
  throw new UnreadableObject(parsed.problems.join('; '));
}

const dataImage = z.object({ metadata: z.object({}), spec: z.object({ url: z.string() }) });

function admitted<Object extends Admitted>(
  kind: string,
  read: (object: unknown) => Object,
  rules: Rules<Object>,
): AdmittedKind {
  return {
    kind,
    webhook: `${kind.toLowerCase()}.metal3.io`,
    path: `/validate-metal3-io-v1alpha1-${kind.toLowerCase()}`,
    judge(before, after) {
      if (!isJudged(before === undefined ? undefined : look(before), look(after))) return {};
      const message = denial(problemsOf(rules, before === undefined ? undefined : read(before), read(after)));
      return message === undefined ? {} : { refusal: { code: 403, reason: 'Forbidden', message } };
    },
  };
}
