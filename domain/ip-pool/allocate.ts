import { same } from '../same.ts';
import { addressText, parseAddress } from './address.ts';
import { type Entries, entriesOf, type FoundAddress, type PoolRange } from './entries.ts';
import { type ClaimKind, EXHAUSTED } from './names.ts';
import { intervalOf, type PoolEntry, type PoolSpec } from './ranges.ts';
import type { OpenClaim } from './snapshot.ts';
import { type AddressSet, addressSet, type Interval, unpacked } from './taken.ts';

/** An address with what the machine needs beside it. */
export interface Allocation {
  readonly address: string;
  readonly prefix?: number;
  readonly gateway?: string;
  readonly dnsServers?: readonly string[];
}

/** The reasons of the condition Ready of an IPAddressClaim. */
export type RefusalReason = 'AllocationFailed' | 'PoolExhausted';

export type AllocationAnswer =
  | ({ readonly kind: 'given' } & Allocation)
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string };

export interface PoolState {
  readonly spec: PoolSpec;
  /** The addresses in use, as texts of `packed`. */
  readonly inUse: readonly string[];
  readonly reserved: readonly string[];
}

type Asking = Pick<OpenClaim, 'kind' | 'uid' | 'requested' | 'preAllocated'>;

/** Answers one claim after the other; what is given to one is not free for the next. */
export type Allocator = (claim: Asking) => AllocationAnswer;

export function createAllocator({ spec, inUse, reserved }: PoolState): Allocator {
  const entries = entriesIn(spec);
  const used = addressSet(unpacked(inUse));
  const notFree = addressSet([...unpacked(inUse), ...unpacked(reserved)]);

  const give = (kind: ClaimKind, { entry, address }: FoundAddress): AllocationAnswer => {
    const prefix = prefixOf(spec, entry);
    if (kind === 'IPAddressClaim' && (prefix < 0 || prefix > MOST_BITS)) return invalidPrefix;
    used.add(address);
    notFree.add(address);
    return { kind: 'given', address: addressText(address), ...surroundings(spec, entry) };
  };

  const giveThis = (
    kind: ClaimKind,
    address: bigint,
    taken: AddressSet,
    otherwise: (isThere: boolean) => AllocationAnswer,
  ): AllocationAnswer => {
    const entry = entries.entryWith(address);
    return entry === undefined || taken.has(address) ? otherwise(entry !== undefined) : give(kind, { entry, address });
  };

  const giveAny = ({ kind, uid }: Asking): AllocationAnswer => {
    const found = entries.firstFree((interval) =>
      spec.allocationStrategy === 'random'
        ? freeAfter(interval, startFor(uid, interval), notFree)
        : notFree.firstFree(interval),
    );
    return found === undefined ? exhausted : give(kind, found);
  };

  return (claim) => {
    const { kind, requested = '', preAllocated } = claim;
    const wanted = requested === '' ? undefined : parseAddress(requested);
    if (requested !== '' && wanted === undefined)
      return failed(`Invalid ipAddress annotation ${JSON.stringify(requested)}: not a valid IP address`);
    const kept = preAllocated === undefined ? undefined : parseAddress(preAllocated);
    if (preAllocated !== undefined) {
      if (wanted !== undefined && wanted !== kept) return conflicting;
      if (kept === undefined) return outOfBounds;
      return giveThis(kind, kept, used, (isThere) => (isThere ? keptInUse : outOfBounds));
    }
    if (wanted === undefined) return giveAny(claim);
    return giveThis(kind, wanted, notFree, (isThere) => (isThere ? notAvailable : exhausted));
  };
}

export const entriesIn = ({ pools = [] }: PoolSpec): Entries =>
  entriesOf(
    pools.flatMap((entry): readonly PoolRange[] => {
      const interval = intervalOf(entry);
      return interval === undefined ? [] : [{ entry, interval }];
    }),
  );

/** What a pool gives is judged by its object as it is now. */
export interface GivingPool {
  readonly spec: PoolSpec;
  readonly preAllocations: Readonly<Record<string, string>>;
}

/** True when the pool gives the claim this address, with all that is beside it. */
export type Gives = (claim: { readonly name: string; readonly requested?: string }, allocation: Allocation) => boolean;

/** Knows nothing of the addresses in use: those have IPAddresses, whose names can't be taken again. */
export function givenBy({ spec, preAllocations }: GivingPool): Gives {
  const entries = entriesIn(spec);
  const kept = new Set(Object.values(preAllocations).map(parseAddress));
  return ({ name, requested = '' }, { address, ...around }) => {
    const value = parseAddress(address);
    const entry = value === undefined ? undefined : entries.entryWith(value);
    if (entry === undefined || (requested !== '' && parseAddress(requested) !== value)) return false;
    const own = Object.hasOwn(preAllocations, name) ? preAllocations[name] : undefined;
    const isFor = own === undefined ? !kept.has(value) : parseAddress(own) === value;
    return isFor && same(surroundings(spec, entry), around);
  };
}

const MOST_BITS = 128;

const failed = (message: string): AllocationAnswer => ({ kind: 'refused', reason: 'AllocationFailed', message });
const exhausted: AllocationAnswer = { kind: 'refused', reason: 'PoolExhausted', message: EXHAUSTED };
const conflicting = failed('PreAllocation and requested ip address are conflicting');
const outOfBounds = failed('Pre-allocated IP out of bounds');
/** A text of our own: upstream gives the address a second time and fails to create it, again and again. */
const keptInUse = failed('Pre-allocated IP not available');
const notAvailable = failed('Requested IP not available');
const invalidPrefix = failed('Invalid prefix value, it must be between 0 and 128');

const prefixOf = (spec: PoolSpec, entry: PoolEntry): number => entry.prefix || spec.prefix || 0;

/** Fields that an entry lacks have the values of the whole pool. */
function surroundings(spec: PoolSpec, entry: PoolEntry): Omit<Allocation, 'address'> {
  const prefix = prefixOf(spec, entry);
  const gateway = entry.gateway ?? spec.gateway;
  const dnsServers = entry.dnsServers?.length ? entry.dnsServers : spec.dnsServers;
  return {
    ...(prefix !== 0 && { prefix }),
    ...(gateway !== undefined && { gateway }),
    ...(dnsServers?.length && { dnsServers }),
  };
}

/** The first free address from `start` on, and then from the beginning of the interval. */
const freeAfter = ({ first, last }: Interval, start: bigint, taken: AddressSet): bigint | undefined =>
  taken.firstFree({ first: start, last }) ?? taken.firstFree({ first, last: start - 1n });

const FNV_OFFSET = 0xcbf2_9ce4_8422_2325n;
const FNV_PRIME = 0x100_0000_01b3n;
const MIXING = [0xff51_afd7_ed55_8ccdn, 0xc4ce_b9fe_1a85_ec53n];

/**
 * The address at which the search for a claim starts. It is derived from the uid, so it is random, but the same in a
 * replay.
 */
function startFor(uid: string, { first, last }: Interval): bigint {
  let hash = FNV_OFFSET;
  for (const char of uid) hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * FNV_PRIME);
  for (const factor of MIXING) hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * factor);
  return first + ((hash ^ (hash >> 33n)) % (last - first + 1n));
}
