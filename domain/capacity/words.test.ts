import { expect, test } from 'vitest';
import { ask, type Capacity, grant, NOBODY } from './capacity.ts';
import { detailsOf } from './words.ts';

const asked = (count: number): Capacity =>
  Array.from({ length: count }, (_, index) => `host-${index}`).reduce(
    (all, holder) => ask(all, { holder, uid: holder, ticket: holder, nodeId: holder, limit: 1 }),
    NOBODY,
  );

test('the Web UI shows which hosts have a slot and which is next', () => {
  expect(detailsOf(grant(asked(1), []).capacity)).toBe('1 of 1 slots in use, 0 hosts waiting\n- host-0');
  expect(detailsOf(grant(asked(3), []).capacity)).toBe(
    '1 of 1 slots in use, 2 hosts waiting\n- host-0\n\nNext in line:\n1. host-1\n1. host-2',
  );
  expect(detailsOf(grant(asked(23), []).capacity)).toMatch(/… and 2 more$/);
});
