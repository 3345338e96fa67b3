import type { Metal3ClusterSpec } from '../../api/metal3cluster/types.ts';
import type { Seen } from '../entity/seen.ts';
import type { Condition, LegacyCondition } from '../entity/view.ts';

/** A Metal3Cluster as the bridge last saw it, with all that its decisions depend on. */
export interface Metal3ClusterSnapshot extends Seen {
  readonly paused: boolean;
  /** Somebody else looks after it: nothing is ever written to it. */
  readonly managedElsewhere: boolean;
  /** Our finalizer is on it. */
  readonly held: boolean;
  readonly spec: Metal3ClusterSpec;
  /** null: named as the owner, and not to be found. */
  readonly owner?: { readonly name: string; readonly paused: boolean } | null;
  /** Machines of Cluster API that belong to the cluster. */
  readonly machines: number;
  readonly status?: {
    readonly provisioned?: boolean;
    readonly conditions: readonly Condition[];
    readonly legacyConditions: readonly LegacyCondition[];
  };
}
