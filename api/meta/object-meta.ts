import { z } from 'zod';
import { ownerReference } from './references.ts';

/** The part of Kubernetes' object metadata we look at. The API server checks all of it, so nothing is bounded here. */
export const objectMeta = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  generation: z.number().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(ownerReference).optional(),
});

/** Labels and annotations for what is made from a template. */
export const templateMetadata = z
  .object({
    labels: z
      .record(z.string(), z.string())
      .describe('Labels of the objects that are made from the template.')
      .optional(),
    annotations: z
      .record(z.string(), z.string())
      .describe('Annotations of the objects that are made from the template.')
      .optional(),
  })
  .meta({ minProperties: 1 });
