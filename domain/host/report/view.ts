import type { DataImageStatus } from '../../../api/dataimage/types.ts';

/** What the DataImage should show. */
export interface MediaView {
  readonly uid: string;
  readonly status: DataImageStatus;
  /** It is being deleted, and its image is not in the drive any more. */
  readonly release: boolean;
}

/** The `ofKind` of a BareMetalHost's view. */
export interface HostOfKind {
  /** status.hardware follows the HardwareData of the same name. */
  readonly hardwareInspected: boolean;
  /** For the DataImage with this uid; absent without one. */
  readonly media?: MediaView;
}
