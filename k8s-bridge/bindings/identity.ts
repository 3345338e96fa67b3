import type { Meta } from '../../activities/kubernetes/data/objects.ts';
import type { Seen } from '../../domain/entity/seen.ts';

/** What every snapshot tells of its object. */
export function identityOf(meta: Meta): Seen {
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
