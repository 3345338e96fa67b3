import type { Metal3ClusterSpec } from '../../api/metal3cluster/schema.ts';
import type { Seen } from '../entity/seen.ts';
import type { Condition, LegacyCondition } from '../entity/view.ts';

/** A Metal3Cluster as the bridge last saw it, with everything that its decisions depend on. */
export interface Metal3ClusterSnapshot extends Seen {
  readonly paused: boolean;
  /** Another controller manages it: Temper never writes to it. */
  readonly managedElsewhere: boolean;
  /** It has our finalizer. */
  readonly hasFinalizer: boolean;
  readonly spec: Metal3ClusterSpec;
  readonly owner?: { readonly name: string; readonly paused: boolean };
  /** Name of the Cluster that is its owner and was not found. */
  readonly missingOwner?: string;
  /** Number of Cluster API Machines that belong to the cluster. */
  readonly machines: number;
  readonly status?: {
    readonly provisioned?: boolean;
    readonly conditions: readonly Condition[];
    readonly legacyConditions: readonly LegacyCondition[];
  };
}
