import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';
import { oneLine } from './annotations.ts';
import { isCode } from './code.ts';
import type { Asked } from './messages.ts';

/** The answer of a person: to which code, who and why. */
export interface Answer extends Asked {
  readonly code: string;
}

/**
 * The answer in an annotation; undefined when it can't be read. Its value is the JSON that a message writes, or what a
 * person types: the code, the name of the user, which admission checks, and the reason.
 */
export function answerIn(value: string | undefined): Answer | undefined {
  if (value === undefined) return undefined;
  const answer = value.startsWith('{') ? written(value) : typed(value);
  return answer !== undefined && isCode(answer.code) ? answer : undefined;
}

function typed(value: string): Answer {
  const [code = '', by = '', ...words] = value.trim().split(/\s+/);
  return { code, by: oneLine(by), reason: oneLine(words.join(' ')) };
}

function written(value: string): Answer | undefined {
  try {
    const { code, by, reason } = boundedJson(value, BOUNDS.annotation) as Readonly<Record<string, unknown>>;
    if (typeof code !== 'string' || typeof by !== 'string' || typeof reason !== 'string') return undefined;
    return { code, by: oneLine(by), reason: oneLine(reason) };
  } catch {
    return undefined;
  }
}

/** The value that a message writes. */
export const answerValue = ({ code, by, reason }: Answer): string => JSON.stringify({ code, by, reason });

/** The entry for an answer in the list on the object: its reason begins with the code. */
export const answerAsked = ({ code, by, reason }: Answer): Asked => ({
  by,
  reason: oneLine(reason === '' ? code : `${code}: ${reason}`),
});
