import { z } from 'zod';
import { ANNOTATION_SCHEMAS } from '../../api/baremetalhost/annotation-schemas.ts';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { KINDS } from '../../api/kinds.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { dataImageRules } from '../../domain/admission/dataimage.ts';
import { AT_WEBHOOKS } from '../../domain/kinds.ts';
import {
  type AdmittedKind,
  admitted,
  admittedByShape,
  type DefaultedKind,
  defaulted,
  UnreadableObject,
} from './admitted.ts';

export interface KindsOptions {
  readonly fakeHardware: boolean;
}

/** The kinds with rules. Objects of the first two are read with their schema. */
export const admittedKinds = ({ fakeHardware }: KindsOptions): readonly AdmittedKind[] => [
  admitted(KINDS.host, readHost, hostRules({ schemas: ANNOTATION_SCHEMAS, fakeHardware })),
  admitted(KINDS.dataImage, (object) => dataImage.parse(object), dataImageRules),
  ...AT_WEBHOOKS.flatMap(({ of, rules }) => (rules === undefined ? [] : [admittedByShape(of, rules)])),
];

function readHost(object: unknown): Extract<ReturnType<typeof parseBareMetalHost>, { readonly ok: true }>['host'] {
  const parsed = parseBareMetalHost(object);
  if (parsed.ok) return parsed.host;
  throw new UnreadableObject(parsed.problems.join('; '));
}

const dataImage = z.object({ spec: z.object({ url: z.string() }) });

/** The kinds with defaults that their CRD cannot express. */
export const defaultedKinds: readonly DefaultedKind[] = AT_WEBHOOKS.flatMap(({ of, defaults }) =>
  defaults === undefined ? [] : [defaulted(of, defaults)],
);
