import { z } from 'zod';
import { refusalMessage } from '../../domain/admission/refusal.ts';
import { type Convertible, Inconvertible } from '../../domain/conversion/convertible.ts';
import { convertTo, isStored } from '../../domain/convert.ts';
import { shallow, uidOf } from './review.ts';
import { completed, problemsOfShape } from './shapes.ts';

const metadata = z.looseObject({
  name: z.string().optional(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

const review = z.object({
  apiVersion: z.enum(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1']),
  kind: z.literal('ConversionReview'),
  request: z.object({
    uid: z.string(),
    desiredAPIVersion: z.string(),
    objects: z.array(
      shallow.pipe(z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: metadata.optional() })),
    ),
  }),
});

export interface Converted {
  /** The ConversionReview of the response. */
  readonly answer: object;
  /** Why the objects could not be converted. */
  readonly problem?: string;
}

/** Converts all objects of one ConversionReview, or none. */
export function answerConversion(body: unknown): Converted {
  const parsed = review.safeParse(body);
  if (!parsed.success) return answered('apiextensions.k8s.io/v1', uidOf(body), z.prettifyError(parsed.error));
  const { apiVersion, request } = parsed.data;
  try {
    const convert = (object: (typeof request.objects)[number]): Convertible => {
      const converted = convertTo(request.desiredAPIVersion, readable(object));
      return isStored(converted) ? converted : completed(converted);
    };
    return answered(apiVersion, request.uid, request.objects.map(convert));
  } catch (error) {
    if (error instanceof Inconvertible) return answered(apiVersion, request.uid, error.message);
    throw error;
  }
}

/**
 * The object, if its shape is that of its version: manifests are converted before the API server checks them. A stored
 * object can lack what was empty in v1beta1, as upstream's conversion stores it.
 */
function readable(given: z.infer<typeof review>['request']['objects'][number]): Convertible {
  const object = isStored(given) ? completed(given) : given;
  const problems = problemsOfShape(object);
  if (problems.length === 0) return object as Convertible;
  const { kind, metadata } = object;
  throw new Inconvertible(`${kind} ${JSON.stringify(metadata?.name ?? '')}: ${refusalMessage(problems) ?? ''}`);
}

function answered(apiVersion: string, uid: string, result: string | readonly Convertible[]): Converted {
  const isDone = typeof result !== 'string';
  const response = {
    uid,
    result: isDone ? { status: 'Success' } : { status: 'Failure', message: result },
    convertedObjects: isDone ? result : [],
  };
  return { answer: { apiVersion, kind: 'ConversionReview', response }, ...(isDone ? {} : { problem: result }) };
}
