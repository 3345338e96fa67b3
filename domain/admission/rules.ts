import { same } from '../same.ts';

/** The fields that admission reads of any object. */
export interface Admitted {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly spec: unknown;
}

/** The rules of one kind. Messages are those of baremetal-operator, because tools and people search for them. */
export interface Rules<Object extends Admitted> {
  /** Problems of the object itself, checked at its creation and at each change. */
  problems(object: Object): readonly string[];
  /** Problems of the change. */
  changeProblems?(before: Object, after: Object): readonly string[];
}

/**
 * A change is not checked when it leaves the checked fields unchanged: objects older than a rule can still lose their
 * finalizers and be deleted.
 */
export function isJudged(before: Admitted | undefined, after: Admitted): boolean {
  if (before === undefined || !same(before.spec, after.spec)) return true;
  const isDeleting = after.metadata.deletionTimestamp !== undefined;
  return !isDeleting && !same(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});
}

/** `before` is undefined for a new object. */
export function problemsOf<Object extends Admitted>(
  rules: Rules<Object>,
  before: Object | undefined,
  after: Object,
): readonly string[] {
  const changed = before === undefined ? [] : (rules.changeProblems?.(before, after) ?? []);
  return [...rules.problems(after), ...changed];
}
