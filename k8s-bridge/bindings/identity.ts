import type { Seen } from '../../domain/entity/seen.ts';

/** Metadata of an object in the API server; objects written by hand may lack some of it. */
type Identified = Pick<Seen, 'namespace' | 'name'> & { readonly [Key in keyof Seen]?: Seen[Key] | undefined };

/** The fields that every snapshot has. */
export function identityOf(meta: Identified): Seen {
  const {
    namespace,
    name,
    uid = '',
    resourceVersion = '',
    generation = 0,
    creationTimestamp = '',
    deletionTimestamp,
  } = meta;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}
