import type { AdmittedKind, DefaultedKind } from '../admitted.ts';
import { answerConversion } from '../convert.ts';
import { answerDefaults, answerReview, type ReviewedObject } from '../review.ts';
import { CONVERT_PATH } from './limits.ts';

/** The answer to one review. */
export interface Reply {
  readonly body: string;
  /** For the log: the object that was refused. */
  readonly refused?: { readonly kind: string } & ObjectFields;
  /** For the log: why objects could not be converted. */
  readonly problem?: string;
}

export interface Reviews {
  /** The paths of all webhooks. */
  readonly paths: readonly string[];
  /** Answers the review that was sent to a path. Throws only when a rule has a mistake. */
  readonly answer: (path: string, body: Uint8Array) => Reply;
}

export function createReviews(kinds: readonly AdmittedKind[], defaulted: readonly DefaultedKind[]): Reviews {
  const reviews = new Map<string, (body: unknown) => Reply>([
    ...kinds.map((kind) => [kind.path, (body: unknown) => judged(kind, body)] as const),
    ...defaulted.map(
      (kind) => [kind.path, (body: unknown) => ({ body: JSON.stringify(answerDefaults(kind, body).answer) })] as const,
    ),
    [CONVERT_PATH, converted],
  ]);
  return {
    paths: [...reviews.keys()],
    answer(path, body) {
      const review = reviews.get(path);
      if (review === undefined) throw new Error(`there is no webhook ${path}`);
      return review(parsed(body));
    },
  };
}

function judged(kind: AdmittedKind, review: unknown): Reply {
  const { answer, object, allowed } = answerReview(kind, review);
  return { body: JSON.stringify(answer), ...(!allowed && { refused: { kind: kind.kind, ...fieldsOf(object) } }) };
}

/** The object's fields, with the keys of all logs; without a run, because a refused object has none. */
interface ObjectFields {
  readonly object: string;
  readonly objectNamespace: string;
  readonly objectName: string;
  readonly objectUid?: string;
}

const fieldsOf = ({ namespace, name, uid }: ReviewedObject): ObjectFields => ({
  object: `${namespace}/${name}`,
  objectNamespace: namespace,
  objectName: name,
  ...(uid !== '' && { objectUid: uid }),
});

function converted(review: unknown): Reply {
  const { answer, problem } = answerConversion(review);
  return { body: JSON.stringify(answer), ...(problem !== undefined && { problem }) };
}

/** undefined for a body that is not JSON; it is refused like every other body that is no review. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
