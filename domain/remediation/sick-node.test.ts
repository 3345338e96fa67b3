import { describe, expect, test } from 'vitest';
import { OUT_OF_SERVICE } from './names.ts';
import { actsOnTaint, backupOf, missingTexts, withoutTaint, withTaint } from './sick-node.ts';

describe('the backup of a Node', () => {
  test('has all labels and annotations, and those of an earlier attempt that it lacks', () => {
    const node = { labels: { a: '1', b: '2' }, annotations: { c: '3' } };
    expect(backupOf(node, {})).toEqual(node);
    expect(backupOf(node, { labels: { a: 'old', d: '4' } })).toEqual({
      labels: { a: '1', b: '2', d: '4' },
      annotations: { c: '3' },
    });
  });

  test('gives back what the Node lacks, and changes nothing that it has', () => {
    const node = { labels: { a: 'new' }, annotations: {} };
    const stored = { labels: { a: 'old', b: '2' }, annotations: { c: '3' } };
    expect(missingTexts(node, stored)).toEqual({ labels: { b: '2' }, annotations: { c: '3' } });
    expect(missingTexts(node, { labels: { a: 'old' } })).toBeUndefined();
    expect(missingTexts(node, {})).toBeUndefined();
  });
});

describe('the out-of-service taint', () => {
  const other = { key: 'other', effect: 'NoSchedule' };
  test('is added once and removed alone', () => {
    const now = Date.parse('2026-01-01T00:00:00.123Z');
    expect(withTaint([other], now)).toEqual([other, { ...OUT_OF_SERVICE, timeAdded: '2026-01-01T00:00:00Z' }]);
    expect(withTaint([OUT_OF_SERVICE], now)).toBeUndefined();
    expect(withoutTaint([OUT_OF_SERVICE, other])).toEqual([other]);
    expect(withoutTaint([other])).toBeUndefined();
  });

  test.each([
    ['1', '27', false],
    ['1', '28', true],
    ['1', '28+', true],
    ['2', '0', true],
    ['1', '', false],
    ['v1', '30', false],
  ])('is known to version %s.%s: %s', (major, minor, known) => {
    expect(actsOnTaint({ major, minor })).toBe(known);
  });
});
