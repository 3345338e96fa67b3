import type { PoolAddress } from './facts.ts';
import { claimName } from './names.ts';
import type { AddressClaimFacts, AddressObjects, DataFacts } from './objects.ts';
import { isMetal3Pool, type PoolReference } from './pools.ts';

/** What became of the claims for the pools of a template. */
export interface ClaimedAddresses {
  readonly addresses: ReadonlyMap<string, PoolAddress>;
  /** Pools that have no claim yet. */
  readonly unclaimed: readonly PoolReference[];
  /** IPClaims of a Metal3Data of the past that our finalizer keeps from going. */
  readonly strays: readonly string[];
  /** Why the pool gives nothing. */
  readonly problem?: string;
  /** What is missing, for people. */
  readonly waiting: readonly string[];
}

/** What one pool has come to. */
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

/** Names that the claims for these pools may have. */
export function addressClaimNames(
  pools: readonly PoolReference[],
  data: string,
  host: string,
): { readonly ipClaims: readonly string[]; readonly ipAddressClaims: readonly string[] } {
  const [own, others] = [pools.filter(isMetal3Pool), pools.filter((pool) => !isMetal3Pool(pool))];
  return {
    ipClaims: own.flatMap(({ name }) => [claimName(data, name), claimName(host, name)]),
    ipAddressClaims: others.map(({ name }) => claimName(data, name)),
  };
}

/** Claims that are named after the Metal3Data go before those that are named after the host. */
const ipClaimOf = (
  pool: string,
  data: Pick<DataFacts, 'name'>,
  host: string,
  objects: Pick<AddressObjects, 'ipClaim'>,
): AddressClaimFacts | undefined =>
  objects.ipClaim(claimName(data.name, pool)) ?? objects.ipClaim(claimName(host, pool));

function fromMetal3({ name: pool }: PoolReference, data: DataFacts, host: string, objects: AddressObjects): Answer {
  const claim = ipClaimOf(pool, data, host, objects);
  if (claim === undefined) return { kind: 'unclaimed' };
  if (!claim.owners.includes(data.uid)) {
    const reason = `IPClaim ${claim.name} belongs to somebody else`;
    return { kind: 'waiting', reason, ...(claim.deleting && claim.held && { stray: claim.name }) };
  }
  if (claim.errorMessage !== undefined) {
    return { kind: 'refused', problem: `IP Allocation for ${pool} failed : ${claim.errorMessage}` };
  }
  return givenBy(claim, objects.ipAddress, `IPPool ${pool}`);
}

function fromClusterApi(pool: PoolReference, data: DataFacts, objects: AddressObjects): Answer {
  const claim = objects.ipAddressClaim(claimName(data.name, pool.name));
  if (claim === undefined) return { kind: 'unclaimed' };
  if (claim.deleting) return { kind: 'waiting', reason: `IPAddressClaim ${claim.name} is being deleted` };
  return givenBy(claim, objects.clusterIpAddress, `${pool.kind} ${pool.name}`);
}

function givenBy(claim: AddressClaimFacts, find: (name: string) => PoolAddress | undefined, pool: string): Answer {
  const address = claim.address === undefined ? undefined : find(claim.address);
  return address === undefined ? { kind: 'waiting', reason: `an address from ${pool}` } : { kind: 'given', address };
}
