import { addressText, parseAddress } from './address.ts';
import { createAllocator, entriesIn, type PoolState } from './allocate.ts';
import type { PoolEntry } from './ranges.ts';
import type { OpenClaim } from './snapshot.ts';
import { addressSet, packed, unpacked } from './taken.ts';

/** Free addresses beside those for the claims: the run may have given some that no IPAddress shows yet. */
const SPARE = 300;

export interface PoolPart extends PoolState {
  /** The pool has more free addresses than these. */
  readonly isPart: boolean;
}

/**
 * The part of a pool that is needed to serve these claims: what they ask for by name, and enough free addresses. Its
 * size does not grow with the ranges of the pool and its IPAddresses.
 */
export function partFor(state: PoolState, claims: readonly OpenClaim[]): PoolPart {
  const { spec } = state;
  const entries = entriesIn(spec);
  const allocate = createAllocator(state);
  const asked = claims.flatMap(({ requested, preAllocated }) =>
    [requested, preAllocated].flatMap((text) => (text === undefined ? [] : (parseAddress(text) ?? []))),
  );
  const uids = [...claims.map(({ uid }) => uid), ...Array.from({ length: SPARE }, (_, at) => `spare ${at}`)];
  const free = uids.flatMap((uid) => {
    const answer = allocate({ kind: 'IPClaim', uid });
    return answer.kind === 'given' ? (parseAddress(answer.address) ?? []) : [];
  });
  const askedIn = (texts: readonly string[]): readonly bigint[] => {
    const set = addressSet(unpacked(texts));
    return asked.filter((address) => set.has(address));
  };
  return {
    spec: {
      ...spec,
      pools: [...free, ...asked].reduce<PoolEntry[]>((pools, address) => {
        const entry = entries.entryWith(address);
        return entry === undefined ? pools : withAddress(pools, entry, address);
      }, []),
    },
    inUse: packed(askedIn(state.inUse)),
    reserved: packed(askedIn(state.reserved)),
    isPart: free.length === uids.length,
  };
}

/** Adds an address, to the last range if it follows that. */
function withAddress(pools: PoolEntry[], entry: PoolEntry, address: bigint): PoolEntry[] {
  const last = pools.at(-1);
  const [start, end] = [addressText(address), addressText(address)];
  const follows = last?.end !== undefined && parseAddress(last.end) === address - 1n && isOf(last, entry);
  if (follows) pools[pools.length - 1] = { ...last, end };
  else pools.push({ ...entry, start, end });
  return pools;
}

const isOf = (part: PoolEntry, { gateway, prefix, dnsServers, subnet }: PoolEntry): boolean =>
  part.gateway === gateway && part.prefix === prefix && part.dnsServers === dnsServers && part.subnet === subnet;
