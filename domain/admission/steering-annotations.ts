import { OPERATIONS_ANNOTATION, STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { resultsProblem } from '../host/results/results.ts';
import { askedProblem } from '../steering/annotations.ts';
import { historyProblem } from '../steering/history.ts';
import { type FieldProblem, invalid } from './field-problem.ts';

/** What is wrong with the value of an annotation of the object with this name; undefined: nothing. */
type Check = (value: string, name: string) => string | undefined;

/** Annotations with which people steer an object, by their key. */
export type SteeringChecks = Readonly<Record<string, Check>>;

const { quarantine, abort, retry, forceDelete, history } = STEERING_ANNOTATIONS;

export const HOST_STEERING: SteeringChecks = {
  [quarantine]: askedProblem,
  [abort]: askedProblem,
  [retry]: askedProblem,
  [forceDelete]: (value, name) =>
    value === name ? undefined : `must be the name of the host, ${name}, which confirms its deletion by force`,
  [history]: historyProblem,
  [OPERATIONS_ANNOTATION]: resultsProblem,
};

const ofHosts: Check = () => 'is for BareMetalHosts: annotate the host of this machine instead';

export const MACHINE_STEERING: SteeringChecks = {
  [retry]: askedProblem,
  [history]: historyProblem,
  [quarantine]: ofHosts,
  [abort]: ofHosts,
  [forceDelete]: ofHosts,
};

type Annotations = Readonly<Record<string, string>>;

/**
 * Problems of annotations that this request sets or changes. Values that were stored before are not checked, so that an
 * object older than a check can still be changed. Keys without a check are ignored.
 */
export function steeringProblems(
  checks: SteeringChecks,
  { name, before, after }: { readonly name: string; readonly before: Annotations; readonly after: Annotations },
): readonly FieldProblem[] {
  return Object.entries(checks).flatMap(([key, check]) => {
    const value = after[key];
    const problem = value === undefined || value === before[key] ? undefined : check(value, name);
    return problem === undefined ? [] : [invalid(`metadata.annotations[${key}]`, value, problem)];
  });
}
