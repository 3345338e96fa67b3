import type { AllocationMemory } from '../allocation/memory.ts';
import { areComparable } from '../entity/seen.ts';
import { only } from '../only.ts';
import type { AssignedIndex } from './allocate.ts';
import type { TemplateSnapshot } from './snapshot.ts';

type Done = 'allocated' | 'released' | 'reported';

/** `refused` has the indexes whose names belong to Metal3Data that the template does not know. */
export type TemplateMemory = AllocationMemory<TemplateSnapshot, GivenIndex, number, Done>;

/** An index whose Metal3Data the bridge has not seen yet. */
interface GivenIndex extends AssignedIndex {
  /** ms since the epoch. */
  readonly at: number;
}

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
export function absorb(memory: TemplateMemory, seen: TemplateSnapshot): TemplateMemory {
  const shown = new Set(seen.data.map(({ claim }) => claim));
  const free = new Set(seen.free);
  const last = seen.free.at(-1) ?? -1;
  const keys = new Set([...seen.claims.map(({ uid }) => uid), ...seen.data.map(({ name }) => name)]);
  return {
    ...memory,
    seen,
    refused: [],
    allocated: memory.allocated.filter(({ name, index }) => !shown.has(name) && (free.has(index) || index > last)),
    done: areComparable(memory.seen, seen) ? only(memory.done, keys) : {},
    troubles: only(memory.troubles, keys),
  };
}
