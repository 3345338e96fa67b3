import { expect, test } from 'vitest';
import { createPlaces, type PlaceWish } from './places.ts';

/** One place that is taken, and work that waits for it; `order` has the names of those that had it. */
function crowded() {
  const places = createPlaces(1);
  const order: string[] = [];
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  const holder = places.within({ urgency: 'usual', namespace: 'holder' }, () => isFree);
  const queue = (name: string, wish: PlaceWish): Promise<void> =>
    places.within(wish, () => {
      order.push(name);
      return Promise.resolve();
    });
  return { places, order, queue, free, holder };
}

test('places are given to namespaces in turn, and inside a namespace in order', async () => {
  const { queue, order, free } = crowded();
  const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'];
  const all = names.map((name) => queue(name, { urgency: 'usual', namespace: name.charAt(0) }));
  free();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('power-off, abort and deletion overtake everything else', async () => {
  const { queue, order, free } = crowded();
  const usual = Array.from({ length: 100 }, (_, at) => queue(`deploy ${at}`, { urgency: 'usual', namespace: 'a' }));
  const off = queue('power off', { urgency: 'first', namespace: 'a' });
  free();
  await Promise.all([...usual, off]);
  expect(order.slice(0, 2)).toEqual(['power off', 'deploy 0']);
});

test('who is cancelled while it waits gives its turn to others', async () => {
  const { places, queue, order, free } = crowded();
  const caller = new AbortController();
  const cancelled = queue('cancelled', { urgency: 'usual', namespace: 'a', signal: caller.signal });
  const other = queue('other', { urgency: 'usual', namespace: 'a' });
  expect(places.waiting).toBe(2);
  caller.abort(new Error('change of mind'));
  await expect(cancelled).rejects.toThrow('change of mind');
  free();
  await other;
  expect(order).toEqual(['other']);
  expect(places.waiting).toBe(0);
});

test('who fails leaves its place', async () => {
  const places = createPlaces(1);
  const wish = { urgency: 'usual', namespace: 'a' } as const;
  await expect(places.within(wish, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  await expect(places.within(wish, () => Promise.resolve('done'))).resolves.toBe('done');
});
