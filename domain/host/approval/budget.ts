import type { Need } from '../../lock/lock.ts';
import { APPROVAL_KINDS, type ApprovalKind, approvalKinds } from './kinds.ts';

/**
 * At most `limit` hosts at a time do a step of one of these kinds: of all, or of those with the same value of a label.
 */
export interface Budget {
  readonly kinds: readonly ApprovalKind[];
  readonly limit: number;
  /** Key of a label of hosts. */
  readonly per?: string;
}

const FORM = 'such as 2, or erase: 1 per topology.kubernetes.io/zone, several with semicolons between';
const ONE = /^(?:(?<kinds>[^:]*):)?\s*(?<limit>\d+)(?:\s+per\s+(?<per>\S+))?$/;
const MOST = 10_000;
/** Budgets in one annotation. A host has those of its machine, Cluster and Namespace too. */
const MOST_PARTS = 20;
/** As the API server checks them: an optional DNS subdomain and a name. */
const LABEL =
  /^(?:(?=.{1,253}\/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** The budgets in the annotation `temper/approval-budget`. A text: what is wrong with it. */
export function readBudgets(value: string): readonly Budget[] | string {
  const budgets: Budget[] = [];
  const parts = value.split(';');
  if (parts.length > MOST_PARTS) return `it has ${parts.length} budgets, ${MOST_PARTS} at most are allowed`;
  for (const part of parts.map((each) => each.trim())) {
    const budget = readBudget(part);
    if (typeof budget === 'string') return budget;
    if (budgets.some((other) => whatOf(other) === whatOf(budget))) return `it has two budgets for ${whatOf(budget)}`;
    budgets.push(budget);
  }
  return budgets;
}

function readBudget(text: string): Budget | string {
  const { kinds: named, limit: digits = '', per } = ONE.exec(text)?.groups ?? {};
  if (digits === '') return `${JSON.stringify(text)} is no budget, ${FORM}`;
  const kinds = approvalKinds(named?.trim() ?? 'all');
  if (typeof kinds === 'string') return kinds;
  const limit = Number(digits);
  if (limit < 1 || limit > MOST) return `${digits} is not a number of hosts from 1 to ${MOST}`;
  if (per !== undefined && !LABEL.test(per)) return `${JSON.stringify(per)} is no key of a label`;
  return {
    kinds: APPROVAL_KINDS.filter((kind) => kinds.includes(kind)),
    limit,
    ...(per !== undefined && { per }),
  };
}

const stepsOf = ({ kinds }: Budget): string => (kinds.length === APPROVAL_KINDS.length ? 'all' : kinds.join(','));
const whatOf = (budget: Budget): string => `${stepsOf(budget)}${budget.per === undefined ? '' : ` per ${budget.per}`}`;

/** A budget of one object, as a need of a host with these labels. */
export function needOf(whose: string, budget: Budget, labels: Readonly<Record<string, string>>): Need {
  const { limit, per } = budget;
  const value = per === undefined ? undefined : labels[per];
  const which = per === undefined ? '' : value === undefined ? `, without ${per}` : `, ${per}=${value}`;
  return { budget: `${stepsOf(budget)} in ${whose}${which}`, limit };
}
