import type { Seen } from '../entity/seen.ts';

/** A Metal3DataClaim with open work. */
export interface ClaimSeen {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  /** It or its Cluster is paused. */
  readonly paused: boolean;
  /** It has the finalizer for its Metal3Data. */
  readonly held: boolean;
  /** A Metal3Machine owns it. */
  readonly hasMachine: boolean;
  /** Name of the Metal3Data in its status. */
  readonly renderedData?: string;
  readonly errorMessage?: string;
}

/** A Metal3Data of this template. */
export interface IndexedDataSeen {
  readonly name: string;
  readonly index: number;
  /** Name of its Metal3DataClaim. */
  readonly claim: string;
  readonly deleting: boolean;
  /** It has the finalizer of its claim. */
  readonly held: boolean;
}

/** A Metal3DataTemplate as the bridge last saw it, with its claims and all its Metal3Data. */
export interface TemplateSnapshot extends Seen {
  readonly paused: boolean;
  /** Claims that have no Metal3Data yet or are being deleted. */
  readonly claims: readonly ClaimSeen[];
  /** Names of the claims that have their Metal3Data. */
  readonly settled: readonly string[];
  readonly data: readonly IndexedDataSeen[];
}
