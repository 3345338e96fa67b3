import { z } from 'zod';
import type { DeepReadonly } from './readonly.ts';
import { boundedText } from './scalars.ts';

export const secretReference = z
  .object({
    name: z.string().describe('Name of the Secret.').optional(),
    namespace: z.string().describe('Namespace of the Secret; the namespace of this object when left out.').optional(),
  })
  .describe('Reference to a Secret by name.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });
export type SecretReference = DeepReadonly<z.infer<typeof secretReference>>;

export const objectReference = z
  .object({
    apiVersion: z
      .string()
      .describe('API group and version of the object, for example cluster.x-k8s.io/v1beta1.')
      .optional(),
    fieldPath: z.string().describe('Path of a part of the object, when the reference is to that part only.').optional(),
    kind: z.string().describe('Kind of the object.').optional(),
    name: z.string().describe('Name of the object.').optional(),
    namespace: z.string().describe('Namespace of the object.').optional(),
    resourceVersion: z.string().describe('Version of the object, when one version is meant.').optional(),
    uid: z.string().describe('UID of the object. A later object of the same name has a different UID.').optional(),
  })
  .describe('Reference to any object.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });
export type ObjectReference = DeepReadonly<z.infer<typeof objectReference>>;

/** A reference to an object whose kind is fixed by the field. */
export const namedReference = z
  .object({
    name: boundedText({ minLength: 1, maxLength: 253 }).describe('Name of the object.').optional(),
    namespace: boundedText({ minLength: 1, maxLength: 253 })
      .describe('Namespace of the object; the namespace of this object when left out.')
      .optional(),
  })
  .describe('Reference to an object by name.')
  .meta({ 'x-kubernetes-map-type': 'atomic' });
export type NamedReference = DeepReadonly<z.infer<typeof namedReference>>;

export const ownerReference = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});
