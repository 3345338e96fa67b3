import type { DataImageStatus } from '../../../api/dataimage/schema.ts';

/** The DataImage with the host's name, as the bridge last saw it. */
export interface DataImageSeen {
  readonly uid: string;
  readonly url: string;
  readonly deleting: boolean;
  /** Its status; read only by a workflow without memory of this uid. */
  readonly status?: DataImageStatus;
}

/** The state of the virtual drive, kept for the DataImage. */
export interface MediaRecord {
  readonly uid: string;
  /** URL of the image inserted last; '' when the drive is empty. */
  readonly url: string;
  readonly error: { readonly count: number; readonly message: string };
  /** RFC 3339. */
  readonly lastReconciled?: string;
  /** A failed attempt with this URL is not repeated before this time (ms since the epoch). */
  readonly retry?: { readonly url: string; readonly at: number };
  /** Something is in the drive that this run has not inserted. */
  readonly holdsUnknown?: true;
  /** The host's provisioning state when the drive was last read for a DataImage that is being deleted. */
  readonly lookedIn?: string;
}
