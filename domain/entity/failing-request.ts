import { byType, WRITE_REFUSED, writeRefused } from './conditions.ts';
import { notMarkedIn } from './not-marked.ts';
import type { Condition, Retrying, Shown } from './view.ts';

/** Conditions that say what an object waits for. */
const TELLING: readonly string[] = ['Ready', 'Progressing'];

const LONGEST_ANSWER = 500;

/** A request that keeps failing, in words. */
export const failingInWords = ({ what, since, attempts, answer }: Retrying): string =>
  `${what}: ${attempts} attempt${attempts === 1 ? '' : 's'} since ${since}, last answer: ${answer}`;

/** Adds to what the object shows that a request keeps failing. */
export function withFailingRequest(shown: Shown, failing: Retrying | undefined): Shown {
  if (failing === undefined || shown.conditions === undefined) return shown;
  const said = failingInWords({ ...failing, answer: failing.answer.slice(0, LONGEST_ANSWER) });
  const conditions = shown.conditions.map((each) =>
    TELLING.includes(each.type) ? { ...each, message: joined(each.message, said) } : each,
  );
  return { ...shown, conditions: withRefusal(conditions, notMarkedIn(failing.answer)) };
}

/** Adds that a policy forbids the mark of a request, to what it forbids besides. */
function withRefusal(conditions: readonly Condition[], refusal: string | undefined): readonly Condition[] {
  if (refusal === undefined) return conditions;
  const [before] = conditions.filter(({ type }) => type === WRITE_REFUSED);
  const others = conditions.filter(({ type }) => type !== WRITE_REFUSED);
  const message = joined(before?.message ?? '', refusal);
  return [...others, ...writeRefused(message, before?.reason)].toSorted(byType);
}

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('; ');
