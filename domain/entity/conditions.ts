import type { Condition, LegacyCondition } from './view.ts';

export interface WrittenCondition extends Omit<Condition, 'unlessKnown' | 'keepsGeneration'> {
  /** RFC 3339. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | undefined;
}

export interface WrittenLegacyCondition extends LegacyCondition {
  /** RFC 3339. */
  readonly lastTransitionTime: string;
}

/**
 * Completes conditions for writing: the time moves only with the status. Conditions of other writers are kept. Sorted
 * by type.
 */
export function settle(
  claims: readonly Condition[],
  previous: readonly WrittenCondition[],
  generation: number,
  now: number,
): readonly WrittenCondition[] {
  const known = new Map(previous.map((condition) => [condition.type, condition]));
  for (const { unlessKnown, keepsGeneration, ...claim } of claims) {
    const before = known.get(claim.type);
    if (unlessKnown && before !== undefined) continue;
    known.set(claim.type, {
      ...claim,
      message: cut(claim.message, LONGEST),
      lastTransitionTime: before?.status === claim.status ? before.lastTransitionTime : toSeconds(now),
      observedGeneration: keepsGeneration ? (before?.observedGeneration ?? 0) : generation,
    });
  }
  return [...known.values()].toSorted(byType);
}

/** The same for legacy conditions, whose time moves with any change. */
export function settleLegacy(
  claims: readonly LegacyCondition[],
  previous: readonly WrittenLegacyCondition[],
  now: number,
): readonly WrittenLegacyCondition[] {
  return claims
    .map(({ message, ...rest }) => ({
      ...rest,
      ...(message !== undefined && { message: cut(message, LONGEST_LEGACY) }),
    }))
    .map((claim) => {
      const before = previous.find(({ type }) => type === claim.type);
      const isSame =
        before !== undefined &&
        before.status === claim.status &&
        before.severity === claim.severity &&
        before.reason === claim.reason &&
        before.message === claim.message;
      return { ...claim, lastTransitionTime: isSame ? before.lastTransitionTime : toSeconds(now) };
    })
    .toSorted((a, b) => (a.type === 'Ready' ? -1 : b.type === 'Ready' ? 1 : a.type < b.type ? -1 : 1));
}

/** The API server refuses longer messages, and with them the whole status. */
const LONGEST = 32_768;
const LONGEST_LEGACY = 10_240;

const cut = (message: string, longest: number): string =>
  message.length <= longest ? message : `${message.slice(0, longest - 1).toWellFormed()}…`;

/**
 * Condition that exists while the API server refuses to write labels, annotations, spec, parts of the status or marks
 * of Secrets.
 */
export const WRITE_REFUSED = 'WriteRefused';

/** Condition that exists while a step of a host waits for an approval, a window, or its turn in a budget. */
export const STEP_HELD = 'StepHeld';

/** kstatus's conditions: the host has work for what its generation asks for, or has given up. Never both. */
export const RECONCILING = 'Reconciling';
export const STALLED = 'Stalled';

/** Condition that exists while fields of a host's spec have no effect. */
export const SPEC_IGNORED = 'SpecIgnored';

/** Condition that exists while a machine is on a host of another failure domain than its own. */
export const OTHER_FAILURE_DOMAIN = 'OtherFailureDomain';

/** Condition that exists while the workflow task of an object keeps failing. */
export const WORKFLOW_FAILING = 'WorkflowFailing';

/** Condition that exists while somebody has paused the run of an object, or of its operation, in Temporal. */
export const WORKFLOW_PAUSED = 'WorkflowPaused';

/** Conditions that exist only while the view or the bridge has a reason for them. */
export const PASSING_CONDITIONS: readonly string[] = [
  WRITE_REFUSED,
  WORKFLOW_FAILING,
  WORKFLOW_PAUSED,
  STEP_HELD,
  RECONCILING,
  STALLED,
  SPEC_IGNORED,
  OTHER_FAILURE_DOMAIN,
];

const LONGEST_MESSAGE = 1_000;

/** The condition for a write that a policy forbids; none without one. */
export const writeRefused = (message: string | undefined, reason = 'Forbidden'): readonly Condition[] =>
  message === undefined
    ? []
    : [{ type: WRITE_REFUSED, status: 'True', reason, message: message.slice(0, LONGEST_MESSAGE) }];

export const toSeconds = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');

/** Available and Ready come first, Deleting last, as on Cluster API's objects. */
const RANKS: Readonly<Record<string, number>> = { Available: -2, Ready: -1, Deleting: 1, Paused: 2 };

export function byType(a: { readonly type: string }, b: { readonly type: string }): number {
  const ranks = (RANKS[a.type] ?? 0) - (RANKS[b.type] ?? 0);
  return ranks !== 0 ? ranks : a.type < b.type ? -1 : 1;
}
