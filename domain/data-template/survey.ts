import { byAge } from './allocate.ts';
import { NO_MACHINE } from './decide.ts';
import type { ClaimSeen, IndexedDataSeen, TemplateSnapshot } from './snapshot.ts';

/** What a claim shows when the API server has refused to create, or to delete, its Metal3Data. */
export const NOT_CREATED = 'Failed to create associated Metal3Data object';
export const NOT_DELETED = 'Failed to delete associated Metal3Data object';

/** Claims of each sort in one snapshot: it stays far below the largest message of Temporal. The others come later. */
const MOST = 125;
/** More than all claims of a snapshot, because the run may have given some that no Metal3Data shows yet. */
const FREE = 300;

/** The open work of a template. Its size does not grow with the number of machines. */
export function survey(
  claims: readonly ClaimSeen[],
  data: readonly IndexedDataSeen[],
): Pick<TemplateSnapshot, 'claims' | 'data' | 'free' | 'counts'> {
  const byClaim = new Map(data.map((each) => [each.claim, each]));
  const names = new Set(claims.map(({ name }) => name));
  const stays = claims.filter(({ deleting }) => !deleting);
  const waiting = stays.filter(({ renderedData }) => renderedData === undefined);
  const open = [
    ...first(claims.filter((claim) => claim.deleting && (claim.hasFinalizer || byClaim.has(claim.name)))),
    ...first(waiting.filter((claim) => hasWork(claim, byClaim.get(claim.name)))),
  ];
  const own = open.flatMap(({ name }) => byClaim.get(name) ?? []);
  const loose = data.filter(({ claim, deleting, hasFinalizer }) => deleting && hasFinalizer && !names.has(claim));
  return {
    claims: open,
    data: [...own, ...loose.slice(0, MOST)],
    free: lowestFree(new Set(data.map(({ index }) => index))),
    counts: { claims: stays.length, data: data.length, paused: waiting.filter(({ paused }) => paused).length },
  };
}

/** False for a claim that nothing can be done for, until something changes. */
function hasWork({ paused, hasMachine, errorMessage }: ClaimSeen, data: IndexedDataSeen | undefined): boolean {
  if (paused) return false;
  // The Metal3Data belongs to an older claim of the same name: this claim waits until it is gone.
  if (data !== undefined) return !data.deleting;
  return hasMachine || errorMessage !== NO_MACHINE;
}

/** By age, but claims that the API server refuses come last, because they must not keep others waiting. */
function first(claims: readonly ClaimSeen[]): readonly ClaimSeen[] {
  const isTroubled = ({ errorMessage }: ClaimSeen): boolean =>
    errorMessage === NOT_CREATED || errorMessage === NOT_DELETED;
  const sorted = claims.toSorted(byAge);
  return [...sorted.filter((each) => !isTroubled(each)), ...sorted.filter(isTroubled)].slice(0, MOST);
}

function lowestFree(taken: ReadonlySet<number>): readonly number[] {
  const free: number[] = [];
  for (let index = 0; free.length < FREE; index += 1) if (!taken.has(index)) free.push(index);
  return free;
}
