/**
 * The position of a snapshot among all snapshots. `epoch`: when the sending bridge became the leader, in ms; a bridge
 * always uses a greater one than any it has received. `number` counts the snapshots of that bridge. Both are
 * independent of the API server, whose resource versions, generations and times go back when etcd is restored.
 */
export interface Order {
  readonly epoch: number;
  readonly number: number;
  /**
   * Digest of the snapshot. The run returns it with its views, so that the bridge knows which snapshot the run took in.
   */
  readonly essence?: string;
}

/** True when `a` was sent before `b`. */
export const isBefore = (a: Order, b: Order): boolean =>
  a.epoch === b.epoch ? a.number < b.number : a.epoch < b.epoch;

/** The order before all others. */
export const FIRST: Order = { epoch: 0, number: 0 };

/** Greater than the error of any bridge's clock: a thousand years. */
const FURTHEST_MS = 31_557_600_000_000;

/**
 * True for an order that no bridge sends. A run that accepted it would ignore all later snapshots: their orders would
 * need greater numbers than a message may have.
 */
export const isFarAhead = (order: Order, known: Order = FIRST): boolean => order.epoch - known.epoch > FURTHEST_MS;
