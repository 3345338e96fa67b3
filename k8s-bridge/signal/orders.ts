import { isBefore, type Order } from '../../domain/entity/order.ts';

/** Orders for the snapshots of this bridge, higher than those of all earlier bridges. */
export interface Orders {
  next(essence: string): Order;
  /**
   * Takes note of the last order of a run. If it is from another bridge whose clock was ahead, our next order is
   * higher.
   */
  hear(order: Order): void;
  /**
   * Since when resource versions have grown, as far as this bridge knows: since its start, or since the last restore of
   * etcd was noticed or a kind was listed anew after it.
   */
  readonly versionsSince: number;
  /** Later snapshots have versions that can't be compared with those of earlier snapshots: etcd was restored. */
  setBack(now: number): void;
}

/** `now`: when this bridge became the leader, in ms. */
export function createOrders(now: number): Orders {
  let epoch = now;
  let number = 0;
  let versionsSince = now;
  return {
    next(essence) {
      number += 1;
      return { epoch, number, essence };
    },
    hear(order) {
      if (isBefore({ epoch, number }, order)) epoch = order.epoch + 1;
    },
    get versionsSince() {
      return versionsSince;
    },
    setBack(at) {
      versionsSince = Math.max(at, versionsSince + 1);
    },
  };
}
