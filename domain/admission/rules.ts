import { same } from '../same.ts';

/** What admission looks at in any object. */
export interface Admitted {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly spec: unknown;
}

/** The rules of one kind. Problems are in baremetal-operator's words, which tools and people search for. */
export interface Rules<Object extends Admitted> {
  /** What is wrong with the object itself, at its creation and at each change. */
  problems(object: Object): readonly string[];
  /** What is wrong with the way it was changed. */
  changeProblems?(before: Object, after: Object): readonly string[];
}

/**
 * A change that leaves alone what the rules look at is not judged: what was made before there were rules can still lose its
 * finalizers, and so be deleted.
 */
export function isJudged(before: Admitted | undefined, after: Admitted): boolean {
  if (before === undefined || !same(before.spec, after.spec)) return true;
  const isDeleting = after.metadata.deletionTimestamp !== undefined;
  return !isDeleting && !same(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});
}

/** `before` undefined: the object is new. */
export function problemsOf<Object extends Admitted>(
  rules: Rules<Object>,
  before: Object | undefined,
  after: Object,
): readonly string[] {
  const changed = before === undefined ? [] : (rules.changeProblems?.(before, after) ?? []);
  return [...rules.problems(after), ...changed];
}
