import type { Seen } from '../entity/seen.ts';
import type { Hindrance, WantedSecret } from './examine.ts';
import type { PoolReference } from './pools.ts';

/** A Metal3Data as the bridge last saw it, with a digest of its inputs. It contains no text of a Secret. */
export interface DataSnapshot extends Seen {
  /** It or its Cluster is paused. */
  readonly paused: boolean;
  /** The Cluster named by its label exists. */
  readonly hasCluster: boolean;
  /** It has our finalizer. */
  readonly hasFinalizer: boolean;
  /** Names of the Secrets, where the spec has them. */
  readonly named: { readonly metaData?: string | undefined; readonly networkData?: string | undefined };
  /** The claim that it was created for exists. */
  readonly hasClaim: boolean;
  /** The Secrets that the template asks for; empty while that is unknown. */
  readonly secrets: readonly WantedSecret[];
  readonly unclaimed: readonly PoolReference[];
  readonly strays: readonly string[];
  readonly hindrance?: Hindrance;
  /** Digest of the texts that can be written now. */
  readonly digest?: string;
}
