import type { Seen } from '../entity/seen.ts';
import type { Hindrance, WantedSecret } from './examine.ts';
import type { PoolReference } from './pools.ts';

/** A Metal3Data as the bridge last saw it, with what the objects that it is made from come to. No text of a Secret is in it. */
export interface DataSnapshot extends Seen {
  /** It, or its Cluster. */
  readonly paused: boolean;
  /** The Cluster that its label names. */
  readonly hasCluster: boolean;
  /** Our finalizer is on it. */
  readonly held: boolean;
  /** Names of the Secrets, where its spec has them. */
  readonly named: { readonly metaData?: string | undefined; readonly networkData?: string | undefined };
  /** The claim that it was made for is there. */
  readonly hasClaim: boolean;
  /** What the template asks for; empty while that is not known. */
  readonly secrets: readonly WantedSecret[];
  readonly unclaimed: readonly PoolReference[];
  readonly strays: readonly string[];
  readonly hindrance?: Hindrance;
  /** Of the texts that can be written by now. */
  readonly digest?: string;
}
