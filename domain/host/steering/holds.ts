import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { HostMemory } from '../memory/memory.ts';

/** Annotations that hold a host until a person removes them, and what the host then is. */
export const HOLDS: Readonly<Record<string, string>> = {
  [ANNOTATIONS.paused]: 'paused',
  [STEERING_ANNOTATIONS.quarantine]: 'in quarantine',
  [STEERING_ANNOTATIONS.abort]: 'parked',
};
const KEYS = Object.keys(HOLDS);

/** A person holds the host, but for annotations that were handled already. */
export const isHeldBy = (annotations: Readonly<Record<string, unknown>>, consumed: readonly string[] = []): boolean =>
  KEYS.some((key) => annotations[key] !== undefined && !consumed.includes(key));

/** Records since when the host has each of its holds. A hold that it had when the memory began has no time. */
export function withHoldsDated(memory: HostMemory, before: HostMemory, now: number): HostMemory {
  const { heldSince: known = {}, ...rest } = memory;
  const heldSince = Object.fromEntries(
    KEYS.filter((key) => key in memory.seen.annotations).flatMap((key) => {
      const since = key in before.seen.annotations ? known[key] : now;
      return since === undefined ? [] : [[key, since]];
    }),
  );
  return Object.keys(heldSince).length === 0 ? rest : { ...rest, heldSince };
}
