import type { ClaimSeen } from './snapshot.ts';

export interface AssignedIndex {
  /** Name of the claim that has the index. */
  readonly name: string;
  readonly index: number;
}

/** Assigns the lowest free indexes to all claims, the oldest claim first. `taken` are the indexes in use. */
export function allocate<Claim extends Pick<ClaimSeen, 'name' | 'creationTimestamp'>>(
  claims: readonly Claim[],
  taken: ReadonlySet<number>,
): readonly { readonly claim: Claim; readonly index: number }[] {
  let next = 0;
  return claims.toSorted(byAge).map((claim) => {
    while (taken.has(next)) next += 1;
    const index = next;
    next += 1;
    return { claim, index };
  });
}

const byAge = (a: Pick<ClaimSeen, 'name' | 'creationTimestamp'>, b: typeof a): number =>
  compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
