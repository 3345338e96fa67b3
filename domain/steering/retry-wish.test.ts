import { describe, expect, test } from 'vitest';
import { annotationValue } from './annotations.ts';
import { historyOf, historyValue, settledHistory, withMessage } from './history.ts';
import { removingTaken, retryWish } from './retry-wish.ts';

const AT = '2026-01-01T00:00:00Z';
const FOLLOWED = [{ key: 'temper/retry', what: 'retry' }];
type Annotations = Readonly<Record<string, string>>;

/** The annotations of an object after the bridge has noted in its list what people have written. */
const noted = (annotations: Annotations): Annotations => ({
  ...annotations,
  'temper/history': historyValue(settledHistory(annotations, AT, FOLLOWED)),
});

/** What the bridge writes with a view that has taken this retry. */
function written(annotations: Annotations, taken: string | undefined): Annotations {
  const change = removingTaken(annotations, { 'temper/retry': null }, (wish) => wish === taken);
  return Object.fromEntries(
    Object.entries({ ...annotations, ...change }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}

/** A message that asks for a retry. */
function sent(annotations: Annotations, id: string): Annotations {
  const asked = { by: 'ada', reason: 'the switch is back' };
  const after = { ...annotations, 'temper/retry': annotationValue(asked) };
  const entries = withMessage([annotations, after], { at: AT, what: 'retry', ...asked, id }, FOLLOWED);
  return { ...after, 'temper/history': historyValue(entries) };
}

describe('a second retry with the same text', () => {
  test('has another name when a person annotates again after the first was removed, within the same second', () => {
    const first = noted({ 'temper/retry': 'again' });
    const after = noted({ ...written(first, retryWish(first)), 'temper/retry': 'again' });
    expect(retryWish(after)).toBeDefined();
    expect(retryWish(after)).not.toBe(retryWish(first));
    expect(historyOf(after)).toHaveLength(2);
  });

  test('has another name when it is a message, also while the first is still there, and is not removed with that', () => {
    const first = sent({}, 'm1');
    const second = sent(first, 'm2');
    expect(retryWish(second)).not.toBe(retryWish(first));
    expect(written(second, retryWish(first))['temper/retry']).toBe(second['temper/retry']);
    expect(written(second, retryWish(second))).not.toHaveProperty('temper/retry');
  });
});

describe('a retry', () => {
  test('with another text is not removed by a view that has taken the first', () => {
    const first = noted({ 'temper/retry': 'again' });
    const second = noted({ ...first, 'temper/retry': 'once more' });
    expect(written(second, retryWish(first))['temper/retry']).toBe('once more');
  });

  test('keeps its name while it is there', () => {
    const first = noted({ 'temper/retry': 'again' });
    expect(retryWish(noted({ ...first, other: 'news' }))).toBe(retryWish(first));
  });

  test('of which the list says nothing, because a policy forbids to write it, has its text as its name', () => {
    expect(retryWish({ 'temper/retry': 'again' })).toBe('again');
    expect(written({ 'temper/retry': 'again' }, 'again')).toEqual({});
  });

  test('that is removed leaves the other entries of the list as they are', () => {
    const held = { at: AT, what: 'quarantine', by: 'bob', reason: 'fan', open: true as const };
    const first = noted({ 'temper/retry': 'again', 'temper/history': historyValue([held]) });
    expect(historyOf(written(first, retryWish(first)))).toEqual([
      held,
      { at: AT, what: 'retry', by: '', reason: 'again' },
    ]);
  });
});

test('an object without a retry asks for none, and nothing else that a view writes is changed', () => {
  expect(retryWish({})).toBeUndefined();
  const wanted = { 'temper/retry': null, other: 'x' };
  expect(removingTaken({}, wanted, () => false)).toBe(wanted);
});
