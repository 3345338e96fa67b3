import { z } from 'zod';
import type { Refusal } from '../../domain/admission/refusal.ts';
import { type AdmittedKind, type DefaultedKind, type Judgement, UnreadableObject } from './admitted.ts';

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
type Request = z.infer<typeof review>['request'];

export interface Reviewed {
  /** The AdmissionReview to answer with. */
  readonly answer: unknown;
  /** Of which object, for logs; and whether it was let through. */
  readonly object: string;
  readonly allowed: boolean;
}

/** Judges one AdmissionReview. What can't be judged is refused with what is wrong about it, and never thrown. */
export const answerReview = (kind: AdmittedKind, body: unknown): Reviewed =>
  answer(body, (request) => judge(kind, request));

/** Fills in what the object of one AdmissionReview leaves out. Nothing is refused: the API server looks at it afterwards. */
export const answerDefaults = (kind: DefaultedKind, body: unknown): Reviewed =>
  answer(body, ({ operation, object }) => ({ spec: isLookedAt(operation) ? kind.defaults(object) : undefined }));

interface Answer extends Judgement {
  /** What the spec is to be instead. */
  readonly spec?: unknown;
}

function answer(body: unknown, answerTo: (request: Request) => Answer): Reviewed {
  const parsed = review.safeParse(body);
  if (!parsed.success) return answered('', '', { refusal: badRequest(z.prettifyError(parsed.error)) });
  const { uid, namespace = '', name = '' } = parsed.data.request;
  return answered(uid, `${namespace}/${name}`, answerTo(parsed.data.request));
}

const badRequest = (message: string): Refusal => ({ code: 400, reason: 'BadRequest', message });

/** Only what is created or changed: whatever it looks like, an object can be deleted. */
const isLookedAt = (operation: string): boolean => operation === 'CREATE' || operation === 'UPDATE';

function judge(kind: AdmittedKind, { operation, oldObject, object }: Request): Judgement {
  if (!isLookedAt(operation)) return {};
  try {
    return kind.judge(operation === 'UPDATE' ? oldObject : undefined, object);
  } catch (error) {
    if (error instanceof UnreadableObject) return { refusal: badRequest(error.message) };
    if (error instanceof z.ZodError) return { refusal: badRequest(z.prettifyError(error)) };
    throw error;
  }
}

function answered(uid: string, object: string, { refusal, warnings = [], spec }: Answer): Reviewed {
  const allowed = refusal === undefined;
  const response = {
    uid,
    allowed,
    ...(refusal !== undefined && { status: refusal }),
    ...(warnings.length > 0 && { warnings }),
    ...(spec !== undefined && { patchType: 'JSONPatch', patch: patchOf(spec) }),
  };
  return { answer: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }, object, allowed };
}

/** `add` puts it in the place of one that is there. */
const patchOf = (spec: unknown): string =>
  Buffer.from(JSON.stringify([{ op: 'add', path: '/spec', value: spec }])).toString('base64');
