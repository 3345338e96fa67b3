import type { DataImageStatus } from '../../../api/dataimage/schema.ts';
import type { HostMemory } from '../memory/memory.ts';

/** What the DataImage should show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** The DataImage is being deleted, and its image is no longer in the drive. */
  readonly release: boolean;
}

/** The `ofKind` of a BareMetalHost's view. */
export interface HostOfKind {
  /** status.hardware follows the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** The Secret with the network data of the deploy agent that Ironic has; absent without one. */
  readonly agentNetwork?: string;
  /** The last messages of people that the run has taken. */
  readonly steered?: HostMemory['steered'];
  /** For the DataImage with this uid; absent without one. */
  readonly media?: MediaView;
}
