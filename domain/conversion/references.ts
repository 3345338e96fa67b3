import type { NamedReference, ObjectReference } from '../../api/meta/references.ts';
import { given, unlessEmpty } from './given.ts';

/** Converts a reference. In v1beta1 only its name and namespace were ever used. */
export const convertReference = (reference: ObjectReference | undefined): NamedReference | undefined =>
  reference === undefined ? undefined : given({ name: reference.name, namespace: reference.namespace });

/** Likewise, where v1beta1 requires a reference: an empty one is none. */
export const convertRequiredReference = (reference: ObjectReference | undefined): NamedReference | undefined =>
  unlessEmpty(convertReference(reference));
