import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';
import { type Asked, LONGEST_REASON, reasonShape, STEERING_SHAPES } from './messages.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * The person who set an annotation, and the reason; undefined without the annotation. The value is the JSON that a
 * message writes, or any text that a person wrote: then the text is the reason.
 */
export function askedBy(annotations: Annotations, key: string): Asked | undefined {
  const value = annotations[key];
  if (value === undefined) return undefined;
  return parsed(value) ?? { by: '', reason: oneLine(value) };
}

function parsed(value: string): Asked | undefined {
  if (!value.startsWith('{')) return undefined;
  try {
    const { by, reason } = boundedJson(value, BOUNDS.annotation) as {
      readonly by?: unknown;
      readonly reason?: unknown;
    };
    return typeof by === 'string' && typeof reason === 'string'
      ? { by: oneLine(by), reason: oneLine(reason) }
      : undefined;
  } catch {
    return undefined;
  }
}

export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);

/** The value that a message writes. */
export const annotationValue = ({ by, reason }: Asked): string => JSON.stringify({ by, reason });

/** Why a value is refused: it would be cut off, or be taken for plain text. undefined: it is valid. */
export function askedProblem(value: string): string | undefined {
  if (value === '') return undefined;
  if (!value.startsWith('{')) return reasonShape(value, 'the reason');
  try {
    return STEERING_SHAPES.quarantine(boundedJson(value, BOUNDS.annotation), 'the value');
  } catch {
    return 'begins with { and is not JSON: write {"by": "who", "reason": "why"}, or the reason alone';
  }
}
