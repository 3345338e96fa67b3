import { describe, expect, test } from 'vitest';
import type { FollowedKind } from './kinds.ts';
import { createStore, type Entry, type Index } from './store.ts';

const KIND: FollowedKind = { kind: 'Widget', apiVersion: 'example.com/v1', plural: 'widgets' };
const byColour: Index = { kind: KIND, keysOf: ({ object }) => object as readonly string[] };
const widget = (name: string, ...colours: string[]): Entry => ({
  namespace: 'n',
  name,
  uid: name,
  resourceVersion: '1',
  object: colours,
});
const names = (entries: Iterable<Entry>): string[] => [...entries].map(({ name }) => name);

describe('a store', () => {
  test('finds objects by what they say now, whether they came before or after it was first asked', () => {
    const store = createStore();
    store.put(KIND, widget('a', 'red'));
    store.put(KIND, widget('b', 'red', 'blue'));
    expect(names(store.having(byColour, 'red'))).toEqual(['a', 'b']);
    store.put(KIND, widget('a', 'blue'));
    store.put(KIND, widget('c', 'red'));
    expect(names(store.having(byColour, 'red'))).toEqual(['b', 'c']);
    expect(names(store.having(byColour, 'blue'))).toEqual(['b', 'a']);
    store.remove(KIND, 'n/b');
    expect(names(store.having(byColour, 'red'))).toEqual(['c']);
    expect(names(store.having(byColour, 'green'))).toEqual([]);
  });

  test('tells kinds of one name apart by their group', () => {
    const store = createStore();
    store.put(KIND, widget('a'));
    expect(names(store.values({ ...KIND, apiVersion: 'example.org/v1' }))).toEqual([]);
  });
});
