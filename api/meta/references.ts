import { z } from 'zod';
import { text } from './scalars.ts';

export const secretReference = z
  .object({
    name: z.string().describe('Name of the Secret.').optional(),
    namespace: z
      .string()
      .describe('Namespace the Secret lives in; the namespace of this object when left out.')
      .optional(),
  })
  .describe('Points at a Secret by name.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });

export const objectReference = z
  .object({
    apiVersion: z
      .string()
      .describe('API group and version of the object, for example cluster.x-k8s.io/v1beta1.')
      .optional(),
    fieldPath: z.string().describe('Path of the part that is meant, when it is not the whole object.').optional(),
    kind: z.string().describe('Kind of the object.').optional(),
    name: z.string().describe('Name of the object.').optional(),
    namespace: z.string().describe('Namespace the object lives in.').optional(),
    resourceVersion: z.string().describe('Version of the object that is meant, when not any.').optional(),
    uid: z
      .string()
      .describe('Unique identifier of the object, which a later object of the same name does not share.')
      .optional(),
  })
  .describe('Points at any object of the cluster.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });

/** An object whose kind goes without saying. */
export const namedReference = z
  .object({
    name: text({ minLength: 1, maxLength: 253 }).describe('Name of the object.').optional(),
    namespace: text({ minLength: 1, maxLength: 253 })
      .describe('Namespace the object lives in; that of this object when left out.')
      .optional(),
  })
  .describe('Points at an object by name.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });

export const ownerReference = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});
