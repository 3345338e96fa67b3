import type { FieldProblem } from './field-problem.ts';

/** An object of Cluster API's infrastructure group, in v1beta2, as admission looks at it. */
export interface Judged<Spec> {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Spec;
}

/** The rules of one kind, in the words of cluster-api-provider-metal3, which tools and people search for. */
export interface FieldRules<Spec> {
  /** What is wrong with a new object. */
  created(object: Judged<Spec>): readonly FieldProblem[];
  /** What is wrong with a change. */
  changed(before: Judged<Spec>, after: Judged<Spec>): readonly FieldProblem[];
  /** What whoever writes the object is told although it passes. */
  warnings?(object: Judged<Spec>): readonly string[];
}

/** The same is looked at in a new object and in what an object is changed to. */
export const alike = <Spec>(created: FieldRules<Spec>['created']): FieldRules<Spec> => ({
  created,
  changed: (_, after) => created(after),
});
