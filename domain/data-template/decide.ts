import { isDue, stillGiven } from '../allocation/memory.ts';
import { dataName } from '../data/names.ts';
import { type AssignedIndex, allocate } from './allocate.ts';
import type { TemplateMemory } from './memory.ts';
import type { ClaimSeen, IndexedDataSeen } from './snapshot.ts';

export interface DataClaimRef {
  readonly claim: string;
  readonly uid: string;
}

/** One task for one claim. */
export type ClaimTask =
  /** Creates its Metal3Data, unless it exists, and shows it in the claim's status. */
  | ({ readonly kind: 'give'; readonly index: number } & DataClaimRef)
  /** Deletes its Metal3Data and removes the finalizer of the claim; `data` is null when no Metal3Data is known. */
  | ({ readonly kind: 'release'; readonly data: string | null; readonly problem?: string } & DataClaimRef)
  /** Shows in the claim's status why it gets no Metal3Data. */
  | ({ readonly kind: 'complain'; readonly message: string } & DataClaimRef)
  /** Removes the finalizer of a Metal3Data that is being deleted and whose claim is gone. */
  | { readonly kind: 'let go'; readonly data: string };

export const NO_MACHINE = 'metal3Machine not found in owner references';
const NO_INDEX = 'index of the claim was not found';
const NO_DATA = 'failed to retrieve Metal3Data object because it was not found or for other unknown reason';

/** All tasks that can be done now, for all claims. */
export function decide(memory: TemplateMemory, now: number): readonly ClaimTask[] {
  const open = memory.seen.claims.filter((claim) => !isDone(claim, memory) && isDue(memory, claim.uid, now));
  return [
    ...open.filter(({ deleting }) => deleting).flatMap((claim) => releaseOf(claim, memory)),
    ...orphans(memory),
    ...gifts(
      open.filter(({ deleting, paused }) => !deleting && !paused),
      memory,
      now,
    ),
  ];
}

function isDone({ uid, deleting, hasMachine }: ClaimSeen, { done }: TemplateMemory): boolean {
  const what = done[uid];
  if (what === undefined) return false;
  if (what === 'released') return true;
  return !deleting && (what === 'allocated' || !hasMachine);
}

function gifts(claims: readonly ClaimSeen[], memory: TemplateMemory, now: number): readonly ClaimTask[] {
  const { seen, refused } = memory;
  const given = stillGiven(memory.allocated, now);
  const known = new Map<string, AssignedIndex | IndexedDataSeen>(given.map((entry) => [entry.name, entry]));
  for (const data of seen.data) known.set(data.claim, data);
  const restored = claims.flatMap((claim): ClaimTask[] => {
    const found = known.get(claim.name);
    // The Metal3Data belongs to an older claim of the same name: this claim waits until it is gone.
    if (found === undefined || ('deleting' in found && found.deleting)) return [];
    return [{ kind: 'give', claim: claim.name, uid: claim.uid, index: found.index }];
  });
  const fresh = claims.filter(({ name }) => !known.has(name));
  const taken = new Set([...given.map(({ index }) => index), ...refused]);
  return [
    ...restored,
    ...fresh
      .filter(({ hasMachine, errorMessage }) => !hasMachine && errorMessage !== NO_MACHINE)
      .map(({ name, uid }): ClaimTask => ({ kind: 'complain', claim: name, uid, message: NO_MACHINE })),
    ...allocate(
      fresh.filter(({ hasMachine }) => hasMachine),
      seen.free.filter((index) => !taken.has(index)),
    ).map(({ claim: { name, uid }, index }): ClaimTask => ({ kind: 'give', claim: name, uid, index })),
  ];
}

function releaseOf(
  { name, uid, hasFinalizer, renderedData }: ClaimSeen,
  { seen, allocated }: TemplateMemory,
): readonly ClaimTask[] {
  const found = seen.data.find(({ claim }) => claim === name)?.name ?? nameOfGiven(name, seen.name, allocated);
  if (!hasFinalizer && found === undefined) return [];
  const data = found ?? renderedData ?? null;
  const problem = found === undefined ? `${NO_INDEX}${data === null ? NO_DATA : ''}` : NO_DATA;
  return [{ kind: 'release', claim: name, uid, data, problem }];
}

function nameOfGiven(claim: string, template: string, given: readonly AssignedIndex[]): string | undefined {
  const index = given.find(({ name }) => name === claim)?.index;
  return index === undefined ? undefined : dataName(template, index);
}

function orphans({ seen, done }: TemplateMemory): readonly ClaimTask[] {
  const claims = new Set(seen.claims.map(({ name }) => name));
  return seen.data
    .filter(
      ({ name, claim, deleting, hasFinalizer }) =>
        deleting && hasFinalizer && !claims.has(claim) && done[name] === undefined,
    )
    .map(({ name }) => ({ kind: 'let go', data: name }));
}
