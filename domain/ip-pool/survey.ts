import { addressText } from './address.ts';
import { createAllocator, type PoolState } from './allocate.ts';
import { NOT_CREATED, NOT_DELETED, NOT_READ } from './names.ts';
import { partFor } from './part.ts';
import type { PoolSpec } from './ranges.ts';
import type { AddressRef, ClaimRef, LooseAddress, OpenClaim, PoolSnapshot } from './snapshot.ts';
import { packed } from './taken.ts';

/** A claim that names the pool. */
export interface ClaimFacts extends ClaimRef {
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  /** It has our finalizer. */
  readonly held: boolean;
  /** It has finalizers of others, who still use its address. */
  readonly heldByOthers: boolean;
  readonly requested?: string;
  /** Name of the IPAddress that it shows. */
  readonly shown?: string;
  readonly error?: string;
}

/** An IPAddress of the pool. */
export interface AddressFacts {
  /** Kind of the claim that it was created for. */
  readonly kind: ClaimRef['kind'];
  readonly claim: string;
  readonly name: string;
  readonly address: bigint;
  readonly deleting: boolean;
  /** It has our finalizer. */
  readonly held: boolean;
}

export interface Surveyed {
  readonly spec: PoolSpec;
  /** Addresses that the pool keeps, by name of the claim; undefined: it keeps none any more. */
  readonly preAllocations: Readonly<Record<string, { readonly text: string; readonly address?: bigint | undefined }>>;
  readonly claims: readonly ClaimFacts[];
  readonly addresses: readonly AddressFacts[];
  /** Addresses whose IPAddress another pool has created under the name that this pool would give. */
  readonly foreign: Iterable<bigint>;
}

export type Survey = Pick<PoolSnapshot, 'claims' | 'loose' | 'spec' | 'isPart' | 'inUse' | 'reserved' | 'addresses'>;

/** Claims of each sort in one snapshot: a snapshot stays far below the largest message of Temporal. */
const MOST = 100;
/** A pool whose ranges and addresses are longer than this as JSON is sent in part. */
const LARGE = 100_000;
/** Longer than an address, and than our own messages. */
const LONGEST = { address: 45, error: 330 };
/** IPAddresses of one claim in one snapshot: it has one, and a second one by mistake. */
const MOST_ADDRESSES = 2;

/**
 * The open work of a pool. Its size does not grow with the finished work. A claim that shows why it gets no address is
 * left out until it can get one, or until the reason changes.
 */
export function survey({ spec, preAllocations, claims, addresses, foreign }: Surveyed): Survey {
  const byClaim = Map.groupBy(addresses, keyOfAddress);
  const claimsByKey = new Map(claims.map((claim) => [keyOfClaim(claim), claim]));
  const state: PoolState = {
    spec,
    inUse: packed([...addresses.map(({ address }) => address), ...foreign]),
    reserved: packed(Object.values(preAllocations).flatMap(({ address }) => address ?? [])),
  };
  const open = (claim: ClaimFacts): OpenClaim => {
    const { kind, name, uid, creationTimestamp, deleting, requested, error } = claim;
    const own = byClaim.get(keyOfClaim(claim)) ?? [];
    const preAllocated = Object.hasOwn(preAllocations, name) ? preAllocations[name]?.text : undefined;
    return {
      kind,
      name,
      uid,
      creationTimestamp,
      deleting,
      addresses: own
        .filter((address) => deleting || !address.deleting)
        .slice(0, MOST_ADDRESSES)
        .map(refOf),
      ...(requested !== undefined && { requested: requested.slice(0, LONGEST.address) }),
      ...(preAllocated !== undefined && { preAllocated: preAllocated.slice(0, LONGEST.address) }),
      ...(error !== undefined && { error: error.slice(0, LONGEST.error) }),
    };
  };

  const leaving = claims.filter(({ deleting, held, heldByOthers }) => deleting && held && !heldByOthers);
  const waiting = claims.filter(({ deleting, shown }) => !deleting && shown === undefined);
  const loose = addresses.filter((address) => isLoose(address, claimsByKey.get(keyOfAddress(address))));
  const served = withWork(waiting.map(open), state);
  return {
    claims: [...troubledLast(leaving).slice(0, MOST).map(open), ...served],
    loose: loose.slice(0, MOST).map((each): LooseAddress => ({ kind: each.kind, claim: each.claim, ...refOf(each) })),
    ...sent(state, served),
    addresses: addresses.length,
  };
}

function sent(state: PoolState, served: readonly OpenClaim[]): Pick<Survey, 'spec' | 'isPart' | 'inUse' | 'reserved'> {
  if (JSON.stringify(state).length <= LARGE) return state;
  if (served.length === 0) return { spec: { ...state.spec, pools: [] }, inUse: [], reserved: [], isPart: true };
  const { isPart, ...part } = partFor(state, served);
  return { ...part, ...(isPart && { isPart }) };
}

/**
 * True for an IPAddress of ours that no claim uses: it is being deleted and not shown, or it is the second of its
 * claim, created by a run that could not know of the first. One whose claim does not exist is kept until somebody
 * deletes it: people reserve addresses like that.
 */
function isLoose({ deleting, held, name }: AddressFacts, claim: ClaimFacts | undefined): boolean {
  if (!held || claim?.deleting) return false;
  return deleting ? claim?.shown !== name : claim?.shown !== undefined && claim.shown !== name;
}

/** The claims that would get an address, or another message than they show; the first of them. */
function withWork(waiting: readonly OpenClaim[], state: PoolState): readonly OpenClaim[] {
  const allocate = createAllocator(state);
  const found: OpenClaim[] = [];
  for (const claim of troubledLast(waiting)) {
    if (found.length >= MOST) break;
    const answer = claim.addresses.length > 0 ? { kind: 'given' } : allocate(claim);
    if (!('message' in answer && answer.message === claim.error)) found.push(claim);
  }
  return found;
}

/**
 * Sorts by age, but claims whose IPAddress the API server refuses come last, because they must not keep others waiting.
 */
const troubledLast = <Claim extends ClaimRef & { readonly creationTimestamp: string; readonly error?: string }>(
  claims: readonly Claim[],
): readonly Claim[] => [
  ...claims.filter((claim) => !isTroubled(claim)).toSorted(byAge),
  ...claims.filter(isTroubled).toSorted(byAge),
];

const isTroubled = ({ error = '' }: { readonly error?: string }): boolean =>
  [NOT_CREATED, NOT_READ, NOT_DELETED].some((refused) => error.startsWith(refused));

/** The oldest first. */
export const byAge = (a: Pick<OpenClaim, 'kind' | 'name' | 'creationTimestamp'>, b: typeof a): number =>
  compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name) || compare(b.kind, a.kind);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const refOf = ({ name, address }: AddressFacts): AddressRef => ({ name, address: addressText(address) });
const keyOfClaim = ({ kind, name }: Pick<ClaimRef, 'kind' | 'name'>): string => `${kind}/${name}`;
const keyOfAddress = ({ kind, claim }: Pick<AddressFacts, 'kind' | 'claim'>): string => `${kind}/${claim}`;
