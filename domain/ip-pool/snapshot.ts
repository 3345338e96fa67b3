import type { Seen } from '../entity/seen.ts';
import type { ClaimKind } from './names.ts';
import type { PoolSpec } from './ranges.ts';

export interface ClaimRef {
  readonly kind: ClaimKind;
  readonly name: string;
  readonly uid: string;
}

/** An IPAddress of either group. */
export interface AddressRef {
  readonly name: string;
  /** In Go's notation. */
  readonly address: string;
}

/** An address claim with open work. */
export interface OpenClaim extends ClaimRef {
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  /** The address in its annotation. */
  readonly requested?: string;
  /** The address that the pool keeps for claims of this name. */
  readonly preAllocated?: string;
  /** Its IPAddresses; while it is not being deleted, without those that are. */
  readonly addresses: readonly AddressRef[];
  /** Why it has no address, as it shows. */
  readonly error?: string;
}

/** An IPAddress that no claim uses. */
export interface LooseAddress extends AddressRef {
  /** Kind of the claim that it was created for. */
  readonly kind: ClaimKind;
  readonly claim: string;
}

/** An IPPool as the bridge last saw it, with what its claims and its addresses ask for. */
export interface PoolSnapshot extends Seen {
  /** Paused by its annotation. */
  readonly paused: boolean;
  /** Its Cluster, if it has one. */
  readonly cluster?: PoolCluster;
  /** Of a large pool, only the ranges with addresses for these claims. */
  readonly spec: PoolSpec;
  /** The pool has more free addresses than `spec` says. */
  readonly isPart?: true;
  /** The claims with open work. When there are very many, only those that are served first. */
  readonly claims: readonly OpenClaim[];
  readonly loose: readonly LooseAddress[];
  /**
   * Addresses of the pool's IPAddresses, and of others whose names would be the same; of a large pool, those of them for
   * which these claims ask.
   */
  readonly inUse: readonly string[];
  /** Addresses that the pool keeps for claims by name. */
  readonly reserved: readonly string[];
  /** Number of the pool's IPAddresses. */
  readonly addresses: number;
}

export interface PoolCluster {
  readonly name: string;
  /** undefined: there is no such Cluster. */
  readonly uid?: string;
  readonly paused: boolean;
  /** The pool has the labels of its Cluster and, if that exists, names it as an owner. */
  readonly isLinked: boolean;
}
