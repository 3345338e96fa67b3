import { z } from 'zod';
import { denial } from '../../domain/admission/denial.ts';
import { type AdmittedKind, UnreadableObject } from './kinds.ts';

const review = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string(),
    operation: z.string(),
    namespace: z.string().optional(),
    name: z.string().optional(),
    object: z.unknown().optional(),
    oldObject: z.unknown().optional(),
  }),
});

export interface Reviewed {
  /** The AdmissionReview to answer with. */
  readonly answer: unknown;
  /** Of which object, for logs; and whether it was let through. */
  readonly object: string;
  readonly allowed: boolean;
}

/** Judges one AdmissionReview. What can't be judged is refused with what is wrong about it, and never thrown. */
export function answerReview(kind: AdmittedKind, body: unknown): Reviewed {
  const parsed = review.safeParse(body);
  if (!parsed.success) return answered('', '', refusal(400, 'BadRequest', z.prettifyError(parsed.error)));
  const { uid, operation, namespace = '', name = '', object, oldObject } = parsed.data.request;
  return answered(uid, `${namespace}/${name}`, judge(kind, operation, oldObject, object));
}

interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

const refusal = (code: number, reason: string, message: string): Refusal => ({ code, reason, message });

/** Only what is created or changed is judged: whatever it looks like, an object can be deleted. */
function judge(kind: AdmittedKind, operation: string, before: unknown, after: unknown): Refusal | undefined {
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  try {
    const message = denial(kind.judge(operation === 'UPDATE' ? before : undefined, after));
    return message === undefined ? undefined : refusal(403, 'Forbidden', message);
  } catch (error) {
    if (error instanceof UnreadableObject) return refusal(400, 'BadRequest', error.message);
    if (error instanceof z.ZodError) return refusal(400, 'BadRequest', z.prettifyError(error));
    throw error;
  }
}

function answered(uid: string, object: string, refused: Refusal | undefined): Reviewed {
  const response = { uid, allowed: refused === undefined, ...(refused !== undefined && { status: refused }) };
  return {
    answer: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response },
    object,
    allowed: refused === undefined,
  };
}
