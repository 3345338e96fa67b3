import { describe, expect, test } from 'vitest';
import { settle } from './conditions.ts';
import type { Condition } from './view.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const LATER = '2026-01-01T01:00:00Z';
const claim = (status: Condition['status'], message = ''): Condition => ({
  type: 'Ready',
  status,
  reason: 'Because',
  message,
});
const written = settle([claim('True')], [], 2, AT);

describe('the conditions of an object', () => {
  test('are of the generation that was looked at, whether they say something else or not', () => {
    expect(written).toEqual([{ ...claim('True'), lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 2 }]);
    expect(settle([claim('True')], written, 3, AT)).toMatchObject([{ observedGeneration: 3 }]);
  });

  test('are of the time at which their status changed', () => {
    const reworded = settle([claim('True', 'otherwise')], written, 2, Date.parse(LATER));
    expect(reworded).toMatchObject([{ message: 'otherwise', lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    expect(settle([claim('False')], written, 2, Date.parse(LATER))).toMatchObject([{ lastTransitionTime: LATER }]);
  });

  test('keep their generation while what a later one asks for is to be done; a new one has none', () => {
    const waiting = { ...claim('True'), keepsGeneration: true } as const;
    expect(settle([waiting], written, 3, AT)).toEqual(written);
    expect(settle([waiting], [], 3, AT)).toMatchObject([{ observedGeneration: 0 }]);
  });

  test('of others stay as they are', () => {
    const theirs = { ...claim('True'), type: 'Theirs', lastTransitionTime: LATER, observedGeneration: 1 };
    expect(settle([claim('True')], [theirs], 2, AT)).toEqual([...written, theirs]);
  });
});
