import { REQUEST_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { byType, WRITE_REFUSED, writeRefused } from './conditions.ts';
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

/** Why a request is not sent: its mark can't be written. */
export const notMarkedInWords = (refusal: string): string => `${NOT_MARKED}: ${refusal}`;

const NOT_MARKED = `nothing is sent to Ironic, because the annotation ${REQUEST_ANNOTATION} can't be written`;

/** The part of an answer which says that; undefined: it says something else. */
function notMarkedIn(answer: string): string | undefined {
  const at = answer.indexOf(NOT_MARKED);
  return at < 0 ? undefined : answer.slice(at);
}
