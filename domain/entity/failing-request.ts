import type { Retrying, Shown } from './view.ts';

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
  return {
    ...shown,
    conditions: shown.conditions.map((each) =>
      TELLING.includes(each.type)
        ? { ...each, message: each.message === '' ? said : `${each.message}; ${said}` }
        : each,
    ),
  };
}
