import { z } from 'zod';
import { hardwareDetails } from '../../api/baremetalhost/hardware.ts';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import { structural } from '../../api/structural.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { dataImageRules } from '../../domain/admission/dataimage.ts';
import { type Admitted, isJudged, problemsOf, type Rules } from '../../domain/admission/rules.ts';

/** A kind whose objects are judged before the API server stores them. */
export interface AdmittedKind {
  readonly kind: string;
  /** What is wrong with a new object (`before` undefined) or with a change. Throws what can't be read as this kind. */
  judge(before: unknown, after: unknown): readonly string[];
}

/** The API server sent an object that is not what our schema takes for one of this kind. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
}

export interface KindsOptions {
  readonly fakeHardware: boolean;
}

/** One line a kind. */
export const admittedKinds = ({ fakeHardware }: KindsOptions): readonly AdmittedKind[] => [
  admitted('BareMetalHost', readHost, hostRules({ schemas: ANNOTATIONS, fakeHardware })),
  admitted('DataImage', (object) => dataImage.parse(object), dataImageRules),
];

export const webhookPath = (kind: string): string => `/validate-metal3-io-v1alpha1-${kind.toLowerCase()}`;

const ANNOTATIONS = { status: structural(bareMetalHostStatus), hardwareDetails: structural(hardwareDetails) };

function readHost(object: unknown): Extract<ReturnType<typeof parseBareMetalHost>, { readonly ok: true }>['host'] {
  const parsed = parseBareMetalHost(object);
  if (parsed.ok) return parsed.host;
  throw new UnreadableObject(parsed.problems.join('; '));
}

const looked = z.object({
  metadata: z.object({
    annotations: z.record(z.string(), z.string()).nullish(),
    deletionTimestamp: z.string().nullish(),
  }),
  spec: z.unknown().optional(),
});
const dataImage = z.object({ metadata: z.object({}), spec: z.object({ url: z.string() }) });

function admitted<Object extends Admitted>(
  kind: string,
  read: (object: unknown) => Object,
  rules: Rules<Object>,
): AdmittedKind {
  return {
    kind,
    judge(before, after) {
      const seenBefore = before === undefined ? undefined : look(before);
      if (!isJudged(seenBefore, look(after))) return [];
      return problemsOf(rules, before === undefined ? undefined : read(before), read(after));
    },
  };
}

function look(object: unknown): Admitted {
  const { metadata, spec } = looked.parse(object);
  return {
    metadata: {
      annotations: metadata.annotations ?? undefined,
      deletionTimestamp: metadata.deletionTimestamp ?? undefined,
    },
    spec,
  };
}
