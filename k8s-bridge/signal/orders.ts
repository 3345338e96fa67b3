import { isBefore, type Order } from '../../domain/entity/order.ts';

/** Orders for the snapshots of this bridge, higher than those of all earlier bridges. */
export interface Orders {
  next(essence: string): Order;
  /**
   * Takes note of the last order of a run. If it is from another bridge whose clock was ahead, our next order is
   * higher.
   */
  hear(order: Order): void;
  /** True for the order of a snapshot of this bridge. */
  areOurs(order: Order): boolean;
  /** Since when resource versions have grown, as far as this bridge knows: since its start. */
  readonly versionsSince: number;
}

/**
 * Two bridges that heard the same order choose different epochs, so that neither takes the other's orders for its own.
 */
const EPOCHS = 1_000;

/** Greatest epoch after which a valid one remains. */
const GREATEST = Number.MAX_SAFE_INTEGER - EPOCHS;

/** `now`: when this bridge became the leader, in ms. */
export function createOrders(now: number): Orders {
  let epoch = now;
  let number = 0;
  const epochs = new Set([now]);
  return {
    next(essence) {
      number += 1;
      return { epoch, number, essence };
    },
    hear(order) {
      // The order was forged. All runs would refuse the order that this bridge would use next.
      if (order.epoch > GREATEST || !isBefore({ epoch, number }, order)) return;
      epoch = order.epoch + 1 + (now % EPOCHS);
      epochs.add(epoch);
    },
    areOurs: (order) => epochs.has(order.epoch),
    versionsSince: now,
  };
}
