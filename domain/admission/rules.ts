import type { Shape } from '../message/shape.ts';
import { same } from '../same.ts';
import type { FieldProblem } from './field-problem.ts';
import type { SteeringChecks } from './steering-annotations.ts';

/** The fields that decide whether an object is checked at all. */
export interface Checked {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>> | null | undefined;
    readonly deletionTimestamp?: string | null | undefined;
  };
  readonly spec?: unknown;
}

/** An object with what its rules read of it. */
export interface Judged<Spec> {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Spec;
  /** Unchecked, because it can be incomplete at any time. */
  readonly status: Readonly<Record<string, unknown>>;
}

/** Defaults of a kind that its CRD cannot express. */
export interface Defaults<Spec> {
  /** The part of the spec that is read. Another spec is left to the API server, which refuses it. */
  readonly given: Shape;
  /** The whole spec with its defaults. */
  readonly complete: (spec: Spec) => unknown;
}

/** A problem with one field as cluster-api-provider-metal3 reports it, or a text as baremetal-operator does. */
export type Problem = FieldProblem | string;

/** The rules of one kind. Messages are those of upstream, because tools and people search for them. */
export interface Rules<Object> {
  /** Problems of a new object. */
  created(object: Object): readonly Problem[];
  /** Problems of an object that was changed, and of the change. */
  changed(before: Object, after: Object): readonly Problem[];
  /**
   * Checks of the annotations with which people steer the object: done when one of them changes, also during the
   * object's deletion.
   */
  readonly steering?: SteeringChecks;
  /** Warnings for the client although the object is accepted. */
  warnings?(object: Object): readonly string[];
}

/** The same rules for creations and changes. */
export const alike = <Object>(created: Rules<Object>['created']): Rules<Object> => ({
  created,
  changed: (_, after) => created(after),
});

/** `before` is undefined for a new object. */
export const problemsOf = <Object>(
  rules: Rules<Object>,
  before: Object | undefined,
  after: Object,
): readonly Problem[] => (before === undefined ? rules.created(after) : rules.changed(before, after));

/**
 * A change is not checked when it leaves the checked fields unchanged: objects older than a rule can still lose their
 * finalizers and be deleted.
 */
export function isJudged(before: Checked | undefined, after: Checked): boolean {
  if (before === undefined || !same(before.spec, after.spec)) return true;
  const isDeleting = after.metadata.deletionTimestamp != null;
  return !isDeleting && !same(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});
}
