import { ANNOTATION_SCHEMAS } from '../../api/baremetalhost/annotation-schemas.ts';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { problemText } from '../../domain/admission/field-problem.ts';
import { isJudged, type Problem, problemsOf } from '../../domain/admission/rules.ts';
import { absorb } from '../../domain/host/memory/take-in.ts';
import { memoryOf } from '../../domain/host/plan/from-object.ts';
import { type HostPlan, planOf, planOfChange } from '../../domain/host/plan/plan.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { plannedHost } from '../planned-host.ts';
import { type Difference, differences, LAST_APPLIED } from './applied.ts';
import { planLines } from './render.ts';

/** A host with its plan, or why there is none. Plain JSON: this is what `--output json` prints. */
export interface PlannedHost {
  readonly host: string;
  /** The host does not exist yet. */
  readonly isNew: boolean;
  readonly changes: readonly Difference[];
  readonly plan?: HostPlan;
  readonly problems: readonly string[];
}

/** The plan for a change of the live object to the wanted one. Pure. All Secrets but those that are missing exist. */
export function planFor(
  host: string,
  live: unknown,
  wanted: unknown,
  deleting: boolean,
  now: number,
  missing: readonly string[] = [],
): PlannedHost {
  const isNew = live === undefined;
  const changes = isNew ? [] : changesOf(live, wanted);
  const [before, after] = [isNew ? undefined : plannedHost(live, missing), plannedHost(wanted, missing)];
  const unread = [before, after].flatMap((each) => (each !== undefined && 'problems' in each ? each.problems : []));
  const problems = unread.length > 0 ? unread : refusals(live, wanted);
  if (problems.length > 0) return { host, isNew, changes, problems };
  if ('problems' in after || (before !== undefined && 'problems' in before)) return { host, isNew, changes, problems };
  const gone = deleting ? { deletionTimestamp: new Date(now).toISOString() } : {};
  const snapshot = { ...after.snapshot, ...gone };
  const plan =
    before === undefined
      ? planOf(memoryOf({ snapshot, held: false, situation: '' }), now)
      : planOfChange(memoryOf(before), absorb(memoryOf(before), snapshot), now);
  return { host, isNew, changes, plan, problems: [] };
}

const changesOf = (live: unknown, wanted: unknown): readonly Difference[] => {
  const [one, other] = [readObject(live), readObject(wanted)];
  return [
    ...differences(storedSpec(live), storedSpec(wanted), 'spec'),
    ...differences(noted(one.metadata.annotations), noted(other.metadata.annotations), 'metadata.annotations'),
  ].map(({ field, before, after }) => ({
    field,
    ...(before !== undefined && { before: withoutSecrets(before) }),
    ...(after !== undefined && { after: withoutSecrets(after) }),
  }));
};

/** The annotations without the copy of the manifest that kubectl keeps among them. */
function noted(annotations: Readonly<Record<string, string>>): object {
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return others;
}

/** The spec as the API server stores it: it sets the defaults of fields that a manifest leaves out. */
function storedSpec(object: unknown): unknown {
  const read = parseBareMetalHost(object);
  return read.ok ? read.host.spec : readObject(object).spec;
}

/** URLs of images may contain secrets. */
const withoutSecrets = (value: unknown): unknown => JSON.parse(withoutUrlSecrets(JSON.stringify(value)));

/** Why the webhook would refuse the wanted object, if it was asked. */
function refusals(live: unknown, wanted: unknown): readonly string[] {
  const [before, after] = [live === undefined ? undefined : parseBareMetalHost(live), parseBareMetalHost(wanted)];
  if (!after.ok || before?.ok === false || !isJudged(before?.host, after.host)) return [];
  return problemsOf(RULES, before?.host, after.host).map(
    (problem) => `the API server would refuse it: ${inWords(problem)}`,
  );
}

const RULES = hostRules({ schemas: ANNOTATION_SCHEMAS, fakeHardware: true });
const inWords = (problem: Problem): string => (typeof problem === 'string' ? problem : problemText(problem));

/** A plan for people, line by line. */
export function hostLines({ host, isNew, changes, plan, problems }: PlannedHost): readonly string[] {
  return [
    `BareMetalHost ${host}${isNew ? ' (new)' : ''}`,
    ...changes.map(({ field, before, after }) => `  ${field}: ${shown(before)} -> ${shown(after)}`),
    ...problems.map((problem) => `  cannot be planned: ${problem}`),
    ...(plan === undefined ? [] : planLines(plan).map((line) => `  ${line}`)),
  ];
}

const shown = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
