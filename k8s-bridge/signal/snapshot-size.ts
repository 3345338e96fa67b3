import type { Seen } from '../../domain/entity/seen.ts';
import type { Binding } from '../binding.ts';

/** Bytes of a snapshot with the work of many objects. Temporal refuses messages above 2 MB. */
const OF_MANY = 900_000;
/**
 * Bytes of a snapshot of one object, without its status. A memory has an image up to five times: as asked for, shown,
 * attempted, begun and done.
 */
const OF_ONE = 100_000;
/** Bytes of that status. It repeats parts of the spec, and of earlier ones. */
const STATUS_OF_ONE = 180_000;

/** Why the snapshot, or what a run makes of it, is too large for one message; undefined: it is not. */
export function sizeProblem(seen: Seen, { isOfMany }: Pick<Binding, 'isOfMany'>): string | undefined {
  if (isOfMany) return beyond('with all that it refers to it', bytesOf(seen), OF_MANY, 'shorten its spec');
  const { status, ...asked } = seen as Seen & { readonly status?: unknown };
  const remedy = 'shorten its spec, its annotations or its labels';
  return (
    beyond('with all that it refers to it', bytesOf(asked), OF_ONE, remedy) ??
    beyond('its status', bytesOf(status), STATUS_OF_ONE, 'shorten that')
  );
}

const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));

const beyond = (what: string, bytes: number, most: number, remedy: string): string | undefined =>
  bytes > most ? `${what} has ${bytes} bytes, and at most ${most} are possible: ${remedy}` : undefined;
