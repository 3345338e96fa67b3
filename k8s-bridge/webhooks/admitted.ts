import { z } from 'zod';
import type { FieldProblem } from '../../domain/admission/field-problem.ts';
import { type Refusal, refusalOf } from '../../domain/admission/refusal.ts';
import { isJudged, problemsOf, type Rules } from '../../domain/admission/rules.ts';
import { steeringProblems } from '../../domain/admission/steering-annotations.ts';
import { same } from '../../domain/same.ts';
import { problemsOfShape } from './shapes.ts';

export interface Judgement {
  /** undefined: the object is accepted. */
  readonly refusal?: Refusal | undefined;
  /** Warnings for the client, accepted or not. */
  readonly warnings?: readonly string[] | undefined;
}

interface Registered {
  readonly kind: string;
  /** Name of the webhook; refusals begin with it. */
  readonly webhook: string;
  readonly path: string;
}

/** A kind whose objects are checked before the API server stores them. */
export interface AdmittedKind extends Registered {
  /** `before` is undefined for a new object. Throws when an object cannot be read as this kind. */
  judge(before: unknown, after: unknown): Judgement;
}

/** A kind whose objects get defaults before they are checked. */
export interface DefaultedKind extends Registered {
  /** Fields of a wrong type, for which upstream cannot decode the object. */
  undecodable(object: unknown): readonly FieldProblem[];
  /** The whole spec with its defaults; undefined when nothing is missing. */
  defaults(object: unknown): unknown;
}

/** The API server sent an object that does not match our schema of the kind. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
}

/** An API group as upstream registers webhooks for it. */
export interface Group {
  readonly name: string;
  readonly version: string;
  /** Text before the kind in the name of a webhook. */
  readonly prefix: { readonly validate: string; readonly mutate: string };
}

function registered(group: Group, verb: 'validate' | 'mutate', kind: string): Registered {
  const [lower, dashed] = [kind.toLowerCase(), group.name.replaceAll('.', '-')];
  return {
    kind,
    webhook: `${group.prefix[verb]}${lower}.${group.name}`,
    path: `/${verb}-${dashed}-${group.version}-${lower}`,
  };
}

/** A kind with its rules; `read` throws when the object does not match the schema of the kind. */
export const admitted = <Object>(
  group: Group,
  kind: string,
  read: (object: unknown) => Object,
  rules: Rules<Object>,
  unreadable: (object: unknown) => readonly FieldProblem[] = () => [],
): AdmittedKind => ({
  ...registered(group, 'validate', kind),
  judge(given, changed) {
    const object = checked.parse(changed);
    const stored = given === undefined ? undefined : checked.parse(given);
    const refused = { name: object.metadata.name, group: group.name, kind };
    const ofSteering = steeringProblems(rules.steering ?? {}, {
      name: object.metadata.name,
      before: stored?.metadata.annotations ?? {},
      after: object.metadata.annotations ?? {},
    });
    if (!isJudged(stored, object)) return { refusal: refusalOf(refused, ofSteering) };
    const problems = unreadable(changed);
    if (problems.length > 0) return { refusal: refusalOf(refused, problems) };
    // A correction of an object that was stored unreadable is validated like a new object.
    const before = given === undefined || unreadable(given).length > 0 ? undefined : read(given);
    const after = read(changed);
    const all = [...problemsOf(rules, before, after), ...ofSteering];
    return { refusal: refusalOf(refused, all), warnings: rules.warnings?.(after) };
  },
});

const checked = z.object({
  metadata: z.object({
    name: z.string().default(''),
    annotations: z.record(z.string(), z.string()).nullish(),
    deletionTimestamp: z.string().nullish(),
  }),
  spec: z.unknown().optional(),
});

/**
 * A kind with its defaults. They come before the API server checks the schema. What is missing is left to that check,
 * and so is null, which decodes as missing.
 */
export const defaulted = <Shape extends z.ZodType<object>>(
  group: Group,
  kind: string,
  spec: Shape,
  defaults: (spec: z.infer<Shape>) => unknown,
): DefaultedKind => ({
  ...registered(group, 'mutate', kind),
  undecodable: (object) =>
    problemsOfShape({
      apiVersion: `${group.name}/${group.version}`,
      kind,
      spec: written.safeParse(object).data?.spec,
    }).filter((problem) => problem.kind === 'Invalid value' && problem.value !== 'null'),
  defaults(object) {
    const found = spec.safeParse(written.safeParse(object).data?.spec);
    if (!found.success) return undefined;
    const whole = defaults(found.data);
    return same(whole, found.data) ? undefined : whole;
  },
});

const written = z.object({ spec: z.unknown() });
