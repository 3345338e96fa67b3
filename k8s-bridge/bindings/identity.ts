import type { Seen } from '../../domain/entity/seen.ts';

/** Metadata of an object that the API server holds; what it always has may be missing in what people write by hand. */
type Identified = Pick<Seen, 'namespace' | 'name'> & { readonly [Key in keyof Seen]?: Seen[Key] | undefined };

/** What every snapshot tells of its object. */
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
