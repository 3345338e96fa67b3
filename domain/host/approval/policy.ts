import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { BOUNDS } from '../../bounds/bounds.ts';
import { boundedJson } from '../../bounds/json.ts';
import { defined } from '../../defined.ts';
import type { Need } from '../../lock/lock.ts';
import { type Budget, needOf, readBudgets } from './budget.ts';
import { type ApprovalKind, approvalKinds } from './kinds.ts';
import { readWindow, type Window } from './window.ts';

type Annotations = Readonly<Record<string, string>>;

/** What the annotations of one object say about approvals. */
export interface Said {
  /** `Namespace metal3`. */
  readonly of: string;
  readonly needed?: string;
  readonly window?: string;
  readonly budget?: string;
}

/** What the annotations of an object say; undefined: nothing. */
export function saidBy(of: string, annotations: Annotations): Said | undefined {
  const needed = annotations[APPROVAL_ANNOTATIONS.needed];
  const window = annotations[APPROVAL_ANNOTATIONS.window];
  const budget = annotations[APPROVAL_ANNOTATIONS.budget];
  if (needed === undefined && window === undefined && budget === undefined) return undefined;
  return {
    of,
    ...defined({ needed, window, budget }),
  };
}

/** The value of the annotation with what other objects say about a host; null without any. */
export const inheritedValue = (said: readonly Said[]): string | null =>
  said.length === 0 ? null : JSON.stringify(said);

/**
 * What a host inherits while a policy forbids to write it on the host: what others say, and the approvals for which its
 * annotation asks, because activities read them there.
 */
export function inheritedAnyway(said: readonly Said[], annotations: Annotations): string | null {
  const asked = inheritedBy(annotations).flatMap(({ of, needed }) => (needed === undefined ? [] : [{ of, needed }]));
  const isSaidToo = (one: Said): boolean => said.some(({ of, needed }) => of === one.of && needed === one.needed);
  return inheritedValue([...said, ...asked.filter((one) => !isSaidToo(one))]);
}

/** What other objects say about the host. A value that can't be read counts as needing approval. */
export function inheritedBy(annotations: Annotations): readonly Said[] {
  const value = annotations[APPROVAL_ANNOTATIONS.inherited];
  if (value === undefined) return [];
  try {
    const said: unknown = boundedJson(value, BOUNDS.annotation);
    return Array.isArray(said) && said.length <= MOST_SAID && said.every(isSaid) ? said : [UNREADABLE];
  } catch {
    return [UNREADABLE];
  }
}

/** A host inherits from its machine, its Cluster and its Namespace; each window takes 0.1 ms. */
const MOST_SAID = 50;

const UNREADABLE: Said = { of: `annotation ${APPROVAL_ANNOTATIONS.inherited}, which can't be read`, needed: 'all' };

function isSaid(value: unknown): value is Said {
  if (typeof value !== 'object' || value === null) return false;
  const { of, needed, window, budget } = value as Readonly<Record<string, unknown>>;
  return (
    [of, needed ?? '', window ?? '', budget ?? ''].every((text) => typeof text === 'string') && typeof of === 'string'
  );
}

/** False for most hosts: nothing needs approval, waits for a window, or has a budget. */
export const isGuarding = (annotations: Annotations): boolean => GUARDING.some((key) => key in annotations);

const { needed: NEEDED, window: WINDOW, budget: BUDGET, inherited: INHERITED } = APPROVAL_ANNOTATIONS;
const GUARDING = [NEEDED, WINDOW, BUDGET, INHERITED];

const OWN = 'the host';

const allSaid = (annotations: Annotations): readonly Said[] => {
  const own = saidBy(OWN, annotations);
  return [...(own === undefined ? [] : [own]), ...inheritedBy(annotations)];
};

/**
 * The objects that ask for approval of one of these kinds. A value that can't be read asks for approval of all kinds.
 */
export const neededBy = (annotations: Annotations, kinds: readonly ApprovalKind[]): readonly string[] =>
  allSaid(annotations).flatMap(({ of, needed }) => {
    if (needed === undefined) return [];
    const named = approvalKinds(needed);
    return typeof named === 'string' || named.some((kind) => kinds.includes(kind)) ? [of] : [];
  });

export interface SaidWindow {
  readonly of: string;
  readonly text: string;
  /** undefined: the window can't be read, and is never open. */
  readonly window: Window | undefined;
}

/** The windows, all of which must be open. */
export const windowsOf = (annotations: Annotations): readonly SaidWindow[] =>
  allSaid(annotations).flatMap(({ of, window: text }) => {
    if (text === undefined) return [];
    const window = readWindow(text);
    return [{ of, text, window: typeof window === 'string' ? undefined : window }];
  });

export interface SaidBudgets {
  readonly of: string;
  readonly text: string;
  /** undefined: the budgets can't be read, so no host gets a place in them. */
  readonly budgets: readonly Budget[] | undefined;
}

export const budgetsSaid = (annotations: Annotations): readonly SaidBudgets[] =>
  allSaid(annotations).flatMap(({ of, budget: text }) => {
    if (text === undefined) return [];
    const budgets = readBudgets(text);
    return [{ of, text, budgets: typeof budgets === 'string' ? undefined : budgets }];
  });

/** Budgets that can't be read, each with the object that has it. */
export const unreadableBudgets = (annotations: Annotations): readonly string[] =>
  budgetsSaid(annotations).flatMap(({ of, text, budgets }) => (budgets === undefined ? [`${text} of ${of}`] : []));

/** What a host that says or inherits this needs before it does a step of these kinds. */
export function needsOf(
  {
    namespace,
    annotations,
    labels = {},
  }: { readonly namespace: string; readonly annotations: Annotations; readonly labels?: Annotations | undefined },
  kinds: readonly ApprovalKind[],
): readonly Need[] {
  return budgetsSaid(annotations).flatMap(({ of, budgets = [] }) =>
    budgets
      .filter((budget) => budget.kinds.some((kind) => kinds.includes(kind)))
      .map((budget) => needOf(countedTogether(of, namespace), budget, labels)),
  );
}

/** `Metal3Machine metal/m-1`; of the Machine API, `Machine.machine.openshift.io metal/m-1`. */
const MACHINE = /^(Metal3Machine|Machine)(\.\S+)? ([^/]*)\//;

/**
 * A budget of a single host or machine would limit nothing, so the hosts or machines of a namespace with the same
 * budget are counted together.
 */
function countedTogether(of: string, namespace: string): string {
  if (of === OWN) return `hosts of Namespace ${namespace} that say so themselves`;
  const [, kind = '', group = '', machines = ''] = MACHINE.exec(of) ?? [];
  return machines === '' ? of : `${kind}s${group} of Namespace ${machines} that say so`;
}

/** The labels of a host by which its budgets count. Its other labels are left out. */
export function countedLabels(annotations: Annotations, labels: Annotations): Annotations | undefined {
  const keys = budgetsSaid(annotations).flatMap(({ budgets = [] }) => budgets.flatMap(({ per }) => per ?? []));
  const counted = [...new Set(keys)].flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const]));
  return counted.length === 0 ? undefined : Object.fromEntries(counted);
}
