import type { HostView, MediaView } from '../domain/host/report/view.ts';
import type { Json } from '../kube/merge-patch.ts';

/** How a view came here: handed over by its workflow, or as the answer to a query sent then (ms). */
export type Origin = { readonly kind: 'workflow' } | { readonly kind: 'query'; readonly askedAt: number };

export interface Written {
  readonly run: string;
  readonly revision: number;
  readonly at: number;
  /** Version of the BareMetalHost after the last write. */
  readonly resourceVersion: string;
  /** Version of the HardwareData the status followed, '' when there was none. */
  readonly hardwareVersion: string;
  readonly status: Json;
  readonly finalizer: boolean;
  /** status.provisioningFailCount as the workflow had it. */
  readonly failCount: number;
  /** The same in what is just being written. */
  readonly coming?: number;
  /** What the DataImage of the host is to show, if there is one. */
  readonly media?: MediaView;
}

/** What was written for which uid; kept in memory only and rebuilt by asking the workflows. */
export interface Ledger {
  get(uid: string): Written | undefined;
  set(uid: string, written: Written): void;
  forget(uid: string): void;
}

export function createLedger(): Ledger {
  const entries = new Map<string, Written>();
  return {
    get: (uid) => entries.get(uid),
    set: (uid, written) => void entries.set(uid, written),
    forget: (uid) => void entries.delete(uid),
  };
}

/** True when something newer than this view was written: a late retry, or an answer that was overtaken. */
export function isOutdated(
  view: Pick<HostView, 'run' | 'revision'>,
  origin: Origin,
  written: Pick<Written, 'run' | 'revision' | 'at'> | undefined,
): boolean {
  if (written === undefined) return false;
  if (view.run === written.run) return view.revision < written.revision;
  // A workflow that was started anew counts from the beginning; an answer from before the last write may be its predecessor's.
  return origin.kind === 'query' && origin.askedAt <= written.at;
}
