import type { ClaimSeen } from './snapshot.ts';

export interface AssignedIndex {
  /** Name of the claim that has the index. */
  readonly name: string;
  readonly index: number;
}

/** Assigns the free indexes, in their order, the oldest claim first. Claims for which none is left wait. */
export const allocate = <Claim extends Pick<ClaimSeen, 'name' | 'creationTimestamp'>>(
  claims: readonly Claim[],
  free: readonly number[],
): readonly { readonly claim: Claim; readonly index: number }[] =>
  claims.toSorted(byAge).flatMap((claim, at) => {
    const index = free[at];
    return index === undefined ? [] : [{ claim, index }];
  });

/** The oldest first. */
export const byAge = (a: Pick<ClaimSeen, 'name' | 'creationTimestamp'>, b: typeof a): number =>
  compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
