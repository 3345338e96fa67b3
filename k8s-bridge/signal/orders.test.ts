import { describe, expect, test } from 'vitest';
import { isBefore } from '../../domain/entity/order.ts';
import { createOrders } from './orders.ts';

describe('what a bridge signals', () => {
  test('comes after what it signalled before, and after what an earlier bridge signalled', () => {
    const earlier = createOrders(1_000);
    const [first, second] = [earlier.next('a'), earlier.next('b')];
    expect(isBefore(first, second)).toBe(true);
    expect(isBefore(second, createOrders(2_000).next('b'))).toBe(true);
  });

  test('comes after what a bridge signalled whose clock was ahead, once that was heard of', () => {
    const ahead = createOrders(9_000).next('a');
    const orders = createOrders(1_000);
    expect(isBefore(orders.next('a'), ahead)).toBe(true);
    orders.hear(ahead);
    expect(isBefore(ahead, orders.next('a'))).toBe(true);
  });

  test('is known as its own, also after it has heard of a bridge whose clock was ahead', () => {
    const orders = createOrders(1_000);
    const [own, others] = [orders.next('a'), createOrders(9_000).next('a')];
    orders.hear(others);
    expect([own, others, orders.next('b')].map((order) => orders.areOurs(order))).toEqual([true, false, true]);
  });

  test('is not taken for that of another bridge that heard of the same clock', () => {
    const ahead = createOrders(9_000).next('a');
    const [one, other] = [createOrders(1_000), createOrders(1_001)];
    one.hear(ahead);
    other.hear(ahead);
    expect(other.areOurs(one.next('a'))).toBe(false);
  });

  test('is accepted by all runs, whatever order a forged message has given to one', () => {
    const orders = createOrders(1_000);
    orders.hear({ epoch: Number.MAX_SAFE_INTEGER, number: 1 });
    expect(orders.next('a')).toEqual({ epoch: 1_000, number: 1, essence: 'a' });
    orders.hear({ epoch: Number.MAX_SAFE_INTEGER - 1_000, number: 1 });
    expect(Number.isSafeInteger(orders.next('b').epoch)).toBe(true);
  });

  test('is no reason to move on when it is heard of again', () => {
    const orders = createOrders(1_000);
    orders.hear(orders.next('a'));
    orders.hear({ epoch: 500, number: 99 });
    expect(orders.next('b')).toEqual({ epoch: 1_000, number: 2, essence: 'b' });
  });
});
