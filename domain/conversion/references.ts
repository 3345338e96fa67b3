import type { NamedReference, ObjectReference } from '../../api/meta/types.ts';
import { given, unlessEmpty } from './given.ts';

/** Of what v1beta1 could say about an object only its name and namespace ever counted; undefined when it names none. */
export const convertReference = (reference: ObjectReference | undefined): NamedReference | undefined =>
  reference === undefined ? undefined : unlessEmpty(given({ name: reference.name, namespace: reference.namespace }));
