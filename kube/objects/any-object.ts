import { z } from 'zod';
import { once } from '../once.ts';
import { conditionsOf } from './conditions.ts';
import { metadata } from './metadata.ts';

/**
 * The fields of any object that publishing reads. Lenient: a malformed spec or status must not prevent a status write.
 */
const writable = z.object({
  metadata,
  spec: z.record(z.string(), z.unknown()).catch({}),
  status: z.record(z.string(), z.unknown()).catch({}),
});
export type Writable = z.infer<typeof writable>;

export const readObject = once((object): Writable => writable.parse(object));

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
