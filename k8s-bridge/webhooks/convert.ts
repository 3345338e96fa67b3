import { z } from 'zod';
import { convertTo } from '../../domain/conversion/convert.ts';
import { type Convertible, Inconvertible } from '../../domain/conversion/parts/convertible.ts';

/** Path of the conversion webhook, for all kinds. */
export const CONVERT_PATH = '/convert';

const review = z.object({
  apiVersion: z.enum(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1']),
  kind: z.literal('ConversionReview'),
  request: z.object({
    uid: z.string(),
    desiredAPIVersion: z.string(),
    objects: z.array(z.looseObject({ apiVersion: z.string(), kind: z.string() })),
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
  if (!parsed.success) return answered('apiextensions.k8s.io/v1', '', z.prettifyError(parsed.error));
  const { apiVersion, request } = parsed.data;
  try {
    // The API server validated them when they were stored.
    const objects = request.objects as readonly Convertible[];
    return answered(
      apiVersion,
      request.uid,
      objects.map((object) => convertTo(request.desiredAPIVersion, object)),
    );
  } catch (error) {
    if (error instanceof Inconvertible) return answered(apiVersion, request.uid, error.message);
    throw error;
  }
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
