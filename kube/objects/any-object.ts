import { z } from 'zod';
import { once } from '../once.ts';
import { conditionsOf } from './conditions.ts';
import { type Metadata, readMetadata } from './metadata.ts';

const parts = z.object({
  spec: z.record(z.string(), z.unknown()).catch({}),
  status: z.record(z.string(), z.unknown()).catch({}),
});

/**
 * The fields of any object that publishing reads. Lenient: a malformed spec or status must not prevent a status write.
 */
export type Writable = z.infer<typeof parts> & { readonly metadata: Metadata };

export const readObject = once((object): Writable => ({ metadata: readMetadata(object), ...parts.parse(object) }));

/** The highest observedGeneration of the conditions. */
export const observedGeneration = ({ status }: Writable): number =>
  Math.max(0, ...conditionsOf(status).map((condition) => condition.observedGeneration ?? 0));

/** True for an object with pending work: the resync handles it before the others. */
export function isPending(object: Writable): boolean {
  const { deletionTimestamp, generation } = object.metadata;
  const observed = observedGeneration(object);
  return (
    deletionTimestamp !== undefined ||
    Object.keys(object.status).length === 0 ||
    (observed > 0 && observed < generation)
  );
}
