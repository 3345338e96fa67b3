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
  readonly hasFinalizer: boolean;
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
  readonly hasFinalizer: boolean;
}

/** A Metal3DataTemplate as the bridge last saw it, with the work that is open. Its size is bounded: the rest comes later. */
export interface TemplateSnapshot extends Seen {
  readonly paused: boolean;
  /** The claims for which something can be done; when there are very many, those that are served first. */
  readonly claims: readonly ClaimSeen[];
  /** The Metal3Data of these claims, and those to be let go, because their claim is gone. */
  readonly data: readonly IndexedDataSeen[];
  /** The lowest indexes that no Metal3Data has, in ascending order; enough for these claims. */
  readonly free: readonly number[];
  /** Numbers of all objects that name the template. */
  readonly counts: {
    /** Claims that are not being deleted. */
    readonly claims: number;
    readonly data: number;
    /** Paused claims that wait for an index. */
    readonly paused: number;
  };
}
