import { z } from 'zod';
import { ownerReference } from './references.ts';

/**
 * The fields of Kubernetes' object metadata that we use. The API server has validated them, so nothing is bounded here.
 */
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

/** An object as read from the API server; its kind adds spec and status. */
export const anyObject = z.object({ apiVersion: z.string(), kind: z.string(), metadata: objectMeta });

/** Labels and annotations for objects created from a template. */
export const templateMetadata = z
  .object({
    labels: z.record(z.string(), z.string()).describe('Labels of the objects created from the template.').optional(),
    annotations: z
      .record(z.string(), z.string())
      .describe('Annotations of the objects created from the template.')
      .optional(),
  })
  .meta({ minProperties: 1 });
