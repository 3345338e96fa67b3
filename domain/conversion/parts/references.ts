import type { NamedReference, ObjectReference } from '../../../api/meta/types.ts';
import { given, unlessEmpty } from './given.ts';

/** Converts a reference. In v1beta1 only its name and namespace were ever used; undefined when it has no name. */
export const convertReference = (reference: ObjectReference | undefined): NamedReference | undefined =>
  reference === undefined ? undefined : unlessEmpty(given({ name: reference.name, namespace: reference.namespace }));
