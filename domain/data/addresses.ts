import type { PoolAddress } from './facts.ts';
import { claimName } from './names.ts';
import type { AddressClaimFacts, AddressObjects, DataFacts } from './objects.ts';
import { isMetal3Pool, type PoolReference, poolInWords } from './pools.ts';

/** The state of the address claims for the pools of a template. */
export interface ClaimedAddresses {
  readonly addresses: ReadonlyMap<string, PoolAddress>;
  /** Pools without a claim. */
  readonly unclaimed: readonly PoolReference[];
  /** IPClaims of an earlier Metal3Data that still have our finalizer. */
  readonly strays: readonly string[];
  /** Why the pool allocated no address. */
  readonly problem?: string;
  /** What is missing, in words that go on after "waiting for". */
  readonly waiting: readonly string[];
}

/** The result for one pool. */
type Answer =
  | { readonly kind: 'given'; readonly address: PoolAddress }
  | { readonly kind: 'unclaimed' }
  | { readonly kind: 'waiting'; readonly reason: string; readonly stray?: string }
  | { readonly kind: 'refused'; readonly problem: string };

export function addressesOf(
  pools: readonly PoolReference[],
  data: DataFacts,
  host: string,
  objects: AddressObjects,
): ClaimedAddresses {
  const answers = pools.map((pool) => {
    const answer = isMetal3Pool(pool) ? fromMetal3(pool, data, host, objects) : fromClusterApi(pool, data, objects);
    return { pool, answer };
  });
  const problem = answers.flatMap(({ answer }) => (answer.kind === 'refused' ? [answer.problem] : []))[0];
  return {
    addresses: new Map(
      answers.flatMap(({ pool, answer }) => (answer.kind === 'given' ? [[pool.name, answer.address] as const] : [])),
    ),
    unclaimed: answers.flatMap(({ pool, answer }) => (answer.kind === 'unclaimed' ? [pool] : [])),
    strays: answers.flatMap(({ answer }) => (answer.kind === 'waiting' && answer.stray ? [answer.stray] : [])),
    waiting: answers.flatMap(({ answer }) => (answer.kind === 'waiting' ? [answer.reason] : [])),
    ...(problem !== undefined && { problem }),
  };
}

/** Claims named after the Metal3Data take precedence over claims named after the host. */
const ipClaimOf = (
  pool: string,
  data: Pick<DataFacts, 'name'>,
  host: string,
  objects: Pick<AddressObjects, 'ipClaim'>,
): AddressClaimFacts | undefined =>
  objects.ipClaim(claimName(data.name, pool)) ?? objects.ipClaim(claimName(host, pool));

function fromMetal3(reference: PoolReference, data: DataFacts, host: string, objects: AddressObjects): Answer {
  const { name: pool } = reference;
  const claim = ipClaimOf(pool, data, host, objects);
  if (claim === undefined) return { kind: 'unclaimed' };
  if (!claim.owners.includes(data.uid)) {
    const reason = `IPClaim ${claim.name}, which belongs to another owner, to go`;
    return { kind: 'waiting', reason, ...(claim.deleting && claim.held && { stray: claim.name }) };
  }
  if (claim.errorMessage !== undefined) {
    return { kind: 'refused', problem: `IP Allocation for ${pool} failed : ${claim.errorMessage}` };
  }
  return givenBy(claim, objects.ipAddress, reference);
}

function fromClusterApi(pool: PoolReference, data: DataFacts, objects: AddressObjects): Answer {
  const claim = objects.ipAddressClaim(claimName(data.name, pool.name));
  if (claim === undefined) return { kind: 'unclaimed' };
  if (claim.deleting) return { kind: 'waiting', reason: `IPAddressClaim ${claim.name}, which is being deleted, to go` };
  return givenBy(claim, objects.clusterIpAddress, pool);
}

function givenBy(
  claim: AddressClaimFacts,
  find: (name: string) => PoolAddress | undefined,
  pool: PoolReference,
): Answer {
  const address = claim.address === undefined ? undefined : find(claim.address);
  return address === undefined
    ? { kind: 'waiting', reason: `an address from ${poolInWords(pool)}` }
    : { kind: 'given', address };
}
