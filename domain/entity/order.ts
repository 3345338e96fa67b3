/**
 * Where a snapshot stands among those of its bridge. `epoch`: when that bridge became the leader, in ms; each bridge takes one
 * that is greater than any it has heard of. `number` counts the snapshots that it has sent. Neither hangs on the API server,
 * whose resource versions, generations and times go back when etcd is restored.
 */
export interface Order {
  readonly epoch: number;
  readonly number: number;
  /** Opaque to a run, which hands it back with its views: by it the bridge knows what the run has taken in. */
  readonly essence?: string;
}

/** True when what comes with `a` was sent before what came with `b`. */
export const isBefore = (a: Order, b: Order): boolean =>
  a.epoch === b.epoch ? a.number < b.number : a.epoch < b.epoch;

/** Older than any other. */
export const FIRST: Order = { epoch: 0, number: 0 };
