import type { Seen } from '../entity/seen.ts';

/** A Metal3DataClaim that something is to be done for. */
export interface ClaimSeen {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  readonly deleting: boolean;
  /** It, or its Cluster. */
  readonly paused: boolean;
  /** It keeps its Metal3Data. */
  readonly held: boolean;
  /** A Metal3Machine owns it. */
  readonly hasMachine: boolean;
  /** Name of the Metal3Data that it shows. */
  readonly renderedData?: string;
  readonly errorMessage?: string;
}

/** A Metal3Data that names the template. */
export interface IndexedDataSeen {
  readonly name: string;
  readonly index: number;
  /** Name of its Metal3DataClaim. */
  readonly claim: string;
  readonly deleting: boolean;
  /** Its claim keeps it. */
  readonly held: boolean;
}

/** A Metal3DataTemplate as the bridge last saw it, with its claims and all Metal3Data. */
export interface TemplateSnapshot extends Seen {
  readonly paused: boolean;
  /** That have no Metal3Data yet, or are being deleted. */
  readonly claims: readonly ClaimSeen[];
  /** Names of the claims that have theirs. */
  readonly settled: readonly string[];
  readonly data: readonly IndexedDataSeen[];
}
