import { z } from 'zod';
import { type Refusal, refusalMessage } from '../../domain/admission/refusal.ts';
import { type AdmittedKind, type DefaultedKind, type Judgement, UnreadableObject } from './admitted.ts';

/** Limit of nesting, deeper than any object of our kinds: a recursive reader then has enough stack. */
const MOST_LEVELS = 500;
const isShallow = (value: unknown): boolean => {
  let level: readonly unknown[] = [value];
  for (let levels = 0; levels < MOST_LEVELS && level.length > 0; levels += 1) {
    level = level.flatMap((each): unknown[] => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return level.length === 0;
};
export const shallow = z.unknown().refine(isShallow, `has more than ${MOST_LEVELS} levels`);

const review = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string(),
    operation: z.string(),
    namespace: z.string().optional(),
    name: z.string().optional(),
    object: shallow.optional(),
    oldObject: shallow.optional(),
  }),
});
type Request = z.infer<typeof review>['request'];

export interface ReviewedObject {
  readonly namespace: string;
  readonly name: string;
  /** '' for a new object. */
  readonly uid: string;
}

export interface Reviewed {
  /** The AdmissionReview of the response. */
  readonly answer: unknown;
  /** The object, for logs. */
  readonly object: ReviewedObject;
  /** The object was accepted. */
  readonly allowed: boolean;
}

/** Validates one AdmissionReview. Errors are returned as refusals and never thrown. */
export const answerReview = (kind: AdmittedKind, body: unknown): Reviewed =>
  answer(body, (request) => judge(kind, request));

/**
 * Adds the defaults of one AdmissionReview's object. Only wrong types are refused, with the code that upstream answers
 * when it cannot decode an object: the API server validates afterwards.
 */
export const answerDefaults = (kind: DefaultedKind, body: unknown): Reviewed =>
  answer(body, ({ operation, object }) => {
    if (!isLookedAt(operation)) return {};
    const problem = refusalMessage(kind.undecodable(object));
    return problem === undefined ? { spec: kind.defaults(object) } : { refusal: badRequest(problem) };
  });

interface Answer extends Judgement {
  /** The spec with defaults. */
  readonly spec?: unknown;
}

function answer(body: unknown, answerTo: (request: Request) => Answer): Reviewed {
  const parsed = review.safeParse(body);
  if (!parsed.success) return answered(uidOf(body), UNNAMED, { refusal: badRequest(z.prettifyError(parsed.error)) });
  const { uid, namespace = '', name = '', object, oldObject } = parsed.data.request;
  const uidOfObject = withMetadata.safeParse(object ?? oldObject).data?.metadata.uid ?? '';
  return answered(uid, { namespace, name, uid: uidOfObject }, answerTo(parsed.data.request));
}

const UNNAMED: ReviewedObject = { namespace: '', name: '', uid: '' };
const withMetadata = z.object({ metadata: z.object({ uid: z.string() }) });

/** The uid of the review. The API server ignores an answer with another uid, and its message. */
export const uidOf = (body: unknown): string => withUid.safeParse(body).data?.request.uid ?? '';
const withUid = z.object({ request: z.object({ uid: z.string() }) });

const badRequest = (message: string): Refusal => ({ code: 400, reason: 'BadRequest', message });

/** Only creations and changes are checked: any object can be deleted. */
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

function answered(uid: string, object: ReviewedObject, { refusal, warnings = [], spec }: Answer): Reviewed {
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

/** `add` replaces an existing one. */
const patchOf = (spec: unknown): string =>
  Buffer.from(JSON.stringify([{ op: 'add', path: '/spec', value: spec }])).toString('base64');
