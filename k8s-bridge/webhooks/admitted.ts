import { z } from 'zod';
import type { Kind } from '../../api/kind.ts';
import type { FieldProblem } from '../../domain/admission/field-problem.ts';
import { type Refusal, refusalOf } from '../../domain/admission/refusal.ts';
import { type Registered, registered } from '../../domain/admission/registered.ts';
import { type Defaults, isJudged, type Judged, problemsOf, type Rules } from '../../domain/admission/rules.ts';
import { steeringProblems } from '../../domain/admission/steering-annotations.ts';
import { same } from '../../domain/same.ts';
import { problemsOfShape, problemsOfSpec } from './shapes.ts';

export interface Judgement {
  /** undefined: the object is accepted. */
  readonly refusal?: Refusal | undefined;
  /** Warnings for the client, accepted or not. */
  readonly warnings?: readonly string[] | undefined;
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

/** A kind with its rules; `read` throws when the object does not match the schema of the kind. */
export const admitted = <Object>(
  of: Kind,
  read: (object: unknown) => Object,
  rules: Rules<Object>,
  unreadable: (object: unknown) => readonly FieldProblem[] = () => [],
): AdmittedKind => ({
  ...registered(of, 'validate'),
  judge(given, changed) {
    const object = checked.parse(changed);
    const stored = given === undefined ? undefined : checked.parse(given);
    const refused = { name: object.metadata.name, group: of.apiVersion.split('/')[0] ?? '', kind: of.kind };
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
 * The same for a kind whose objects are read after their spec was checked against the schema of its CRD. The API server
 * sends objects in the stored version, whichever was written.
 */
export const admittedByShape = (of: Kind, rules: Rules<never>): AdmittedKind =>
  admitted(
    of,
    (object) => judged.parse(object) as never,
    rules,
    (object) => problemsOfSpec({ ...written.parse(object), apiVersion: of.apiVersion, kind: of.kind }),
  );

const written = z.object({ spec: z.unknown().optional() });
const annotations = z.record(z.string(), z.string()).nullish();
const judged = z
  .object({
    metadata: z.object({ name: z.string().default(''), namespace: z.string().default(''), annotations }),
    spec: z.looseObject({}).default({}),
    status: z.looseObject({}).default({}).catch({}),
  })
  .transform((object): Judged<unknown> => ({ ...object, annotations: object.metadata.annotations ?? {} }));

/**
 * A kind with its defaults. They come before the API server checks the schema. What is missing is left to that check,
 * and so is null, which decodes as missing.
 */
export const defaulted = (of: Kind, { given, complete }: Defaults<never>): DefaultedKind => ({
  ...registered(of, 'mutate'),
  undecodable: (object) =>
    problemsOfShape({
      apiVersion: of.apiVersion,
      kind: of.kind,
      spec: written.safeParse(object).data?.spec,
    }).filter((problem) => problem.kind === 'Invalid value' && problem.value !== 'null'),
  defaults(object) {
    const spec = written.safeParse(object).data?.spec;
    if (given(spec, 'spec') !== undefined) return undefined;
    const whole = complete(spec as never);
    return same(whole, spec) ? undefined : whole;
  },
});
