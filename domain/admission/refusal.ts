import { type FieldProblem, problemBody, problemText } from './field-problem.ts';
import type { Problem } from './rules.ts';

/** A refusal, as the API server passes it on. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** The problems by field, for programs. */
  readonly details?: object;
}

/** The object that is refused. */
export interface Refused {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** The answer to problems of an object; undefined when there are none. */
export function refusalOf(object: Refused, problems: readonly Problem[]): Refusal | undefined {
  const message = refusalMessage(problems);
  if (message === undefined) return undefined;
  const fields = problems.filter((problem) => typeof problem !== 'string');
  if (fields.length < problems.length) return { code: 403, reason: 'Forbidden', message };
  const { group, kind, name } = object;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${message}`,
    details: { ...object, causes: fields.map(causeOf) },
  };
}

/** All problems as one text: without duplicates, several of them in brackets. undefined when there is none. */
export function refusalMessage(problems: readonly Problem[]): string | undefined {
  const said = [...new Set(problems.map((problem) => (typeof problem === 'string' ? problem : problemText(problem))))];
  return said.length > 1 ? `[${said.join(', ')}]` : said[0];
}

const causeOf = (problem: FieldProblem): object => ({
  reason: REASONS[problem.kind],
  message: problemBody(problem),
  field: problem.field,
});

const REASONS: Readonly<Record<FieldProblem['kind'], string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  Forbidden: 'FieldValueForbidden',
};
