import type { FieldProblem } from './field-problem.ts';

/** An object of Cluster API's infrastructure group in v1beta2, as admission sees it. */
export interface Judged<Spec> {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Spec;
}

/**
 * The rules of one kind. Messages are those of cluster-api-provider-metal3, because tools and people search for them.
 */
export interface FieldRules<Spec> {
  /** Problems of a new object. */
  created(object: Judged<Spec>): readonly FieldProblem[];
  /** Problems of a change. */
  changed(before: Judged<Spec>, after: Judged<Spec>): readonly FieldProblem[];
  /** Warnings for the client although the object is accepted. */
  warnings?(object: Judged<Spec>): readonly string[];
}

/** The same rules for creations and changes. */
export const alike = <Spec>(created: FieldRules<Spec>['created']): FieldRules<Spec> => ({
  created,
  changed: (_, after) => created(after),
});
