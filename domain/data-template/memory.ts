import type { AllocationMemory } from '../allocation/memory.ts';
import { areComparable } from '../entity/seen.ts';
import { only } from '../only.ts';
import type { AssignedIndex } from './allocate.ts';
import type { TemplateSnapshot } from './snapshot.ts';

type Done = 'given' | 'released' | 'told';

/** `refused` has the indexes whose names belong to Metal3Data that the template does not know. */
export type TemplateMemory = AllocationMemory<TemplateSnapshot, AssignedIndex, number, Done>;

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
export function absorb(memory: TemplateMemory, seen: TemplateSnapshot): TemplateMemory {
  const shown = new Set(seen.data.map(({ claim }) => claim));
  const names = new Set([...seen.settled, ...seen.claims.map(({ name }) => name)]);
  const keys = new Set([...seen.claims.map(({ uid }) => uid), ...seen.data.map(({ name }) => name)]);
  return {
    ...memory,
    seen,
    refused: [],
    given: memory.given.filter(({ name }) => !shown.has(name) && names.has(name)),
    done: areComparable(memory.seen, seen) ? only(memory.done, keys) : {},
    troubles: only(memory.troubles, keys),
  };
}
