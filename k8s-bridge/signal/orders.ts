import { isBefore, type Order } from '../../domain/entity/order.ts';

/** Numbers what this bridge signals, after all that any bridge has signalled before. */
export interface Orders {
  next(essence: string): Order;
  /** Takes note of the order that a run took in last. When it is of another bridge whose clock was ahead, ours comes after it. */
  hear(order: Order): void;
}

/** `now`: when this bridge became the leader, in ms. */
export function createOrders(now: number): Orders {
  let epoch = now;
  let number = 0;
  return {
    next(essence) {
      number += 1;
      return { epoch, number, essence };
    },
    hear(order) {
      if (isBefore({ epoch, number }, order)) epoch = order.epoch + 1;
    },
  };
}
