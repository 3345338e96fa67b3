import { APPROVAL_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { readBudgets } from '../host/approval/budget.ts';
import { approvalKinds } from '../host/approval/kinds.ts';
import { readWindow } from '../host/approval/window.ts';
import { answerIn } from '../steering/answer.ts';

/** What is wrong with annotations that begin with `temper/approval`. */
export const approvalProblems = (annotations: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(annotations).flatMap(([key, value]) => {
    const problem = key.startsWith(APPROVAL_ANNOTATIONS.needed) ? problemOf(key, value) : undefined;
    return problem === undefined ? [] : [`invalid value for the ${key} annotation: ${problem}`];
  });

/** What is accepted, and does less than it seems. */
export function approvalWarnings(annotations: Readonly<Record<string, string>>): readonly string[] {
  const value = annotations[APPROVAL_ANNOTATIONS.needed] ?? '';
  const kinds = approvalKinds(value);
  return typeof kinds !== 'string' && kinds.includes('firmware') && value.trim() !== 'all'
    ? [
        `the kind firmware of the ${APPROVAL_ANNOTATIONS.needed} annotation holds no step yet, because Temper changes no firmware`,
      ]
    : [];
}

function problemOf(key: string, value: string): string | undefined {
  switch (key) {
    case APPROVAL_ANNOTATIONS.needed: {
      const kinds = approvalKinds(value);
      return typeof kinds === 'string' ? kinds : undefined;
    }
    case APPROVAL_ANNOTATIONS.window: {
      const window = readWindow(value);
      return typeof window === 'string' ? window : undefined;
    }
    case APPROVAL_ANNOTATIONS.budget: {
      const budgets = readBudgets(value);
      return typeof budgets === 'string' ? budgets : undefined;
    }
    case APPROVAL_ANNOTATIONS.given:
    case APPROVAL_ANNOTATIONS.rejected:
      return answerIn(value) === undefined
        ? 'it is not the code of a step, such as the details of the host have, then the name of the user, then a reason'
        : undefined;
    case APPROVAL_ANNOTATIONS.inherited:
      return undefined;
    default:
      return `there is no such annotation, only ${Object.values(APPROVAL_ANNOTATIONS).join(', ')}`;
  }
}
