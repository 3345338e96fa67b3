import { describe, expect, test } from 'vitest';
import { goDuration, secondsAsGoDuration } from './duration.ts';

describe('a duration as Go writes it', () => {
  test.for([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
    ['.5s', 500],
    ['1500us', 1.5],
    ['0', 0],
    ['0s', 0],
    ['-5s', -5_000],
    ['+5s', 5_000],
  ] as const)('%s is %d milliseconds', ([text, ms]) => {
    expect(goDuration(text)).toBeCloseTo(ms, 9);
  });
  test.for(['', '30', 's', '30 s', '1d', '-', '5s5', 'soon', '1..5s'])('%j is none', (text) => {
    expect(goDuration(text)).toBeUndefined();
  });
  test.for([
    [0, '0s'],
    [30, '30s'],
    [60, '1m0s'],
    [600, '10m0s'],
    [3_600, '1h0m0s'],
    [90_061, '25h1m1s'],
    [-600, '-10m0s'],
  ] as const)('of %d seconds is %s', ([seconds, text]) => {
    expect(secondsAsGoDuration(seconds)).toBe(text);
  });
});
