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

/** Two bridges that heard of the same order choose other epochs: those of one are not taken for the other's. */
const EPOCHS = 1_000;

/** Up to this one, there is a greater one that a message may have. */
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
      // Forged: a greater one would be refused by all runs.
      if (order.epoch > GREATEST || !isBefore({ epoch, number }, order)) return;
      epoch = order.epoch + 1 + (now % EPOCHS);
      epochs.add(epoch);
    },
    areOurs: (order) => epochs.has(order.epoch),
    versionsSince: now,
  };
}
