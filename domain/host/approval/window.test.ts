import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allOpenAt, opensAt, readWindow, type Window } from './window.ts';

const window = (text: string): Window => {
  const read = readWindow(text);
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const at = (text: string): number => Date.parse(text);
const opening = (text: string, now: string): string | undefined => {
  const opens = opensAt(window(text), at(now));
  return opens === undefined ? undefined : new Date(opens).toISOString().replace('.000Z', 'Z');
};

describe('a window', () => {
  test.each([
    ['before it', '2026-11-28T20:59:59Z', '2026-11-28T21:00:00Z'],
    ['when it begins', '2026-11-28T21:00:00Z', '2026-11-28T21:00:00Z'],
    ['within it, after midnight', '2026-11-29T00:59:59Z', '2026-11-29T00:59:59Z'],
    ['when it ends', '2026-11-29T01:00:00Z', '2026-12-05T21:00:00Z'],
    ['in summer, when the clocks differ', '2026-07-01T00:00:00Z', '2026-07-04T20:00:00Z'],
  ])('in a time zone opens as its clocks say: %s', (_, now, opens) => {
    expect(opening('0 22 * * 6 4h Europe/Berlin', now)).toBe(opens);
  });

  test('without a time zone is in UTC, and may be minutes', () => {
    expect(opening('30 3 * * * 90m', '2026-01-01T05:00:00Z')).toBe('2026-01-02T03:30:00Z');
  });

  test('that never comes is never open', () => {
    expect(opening('0 0 30 2 * 1h', '2026-01-01T00:00:00Z')).toBeUndefined();
  });

  test.each([
    ['', 'it is not five cron fields, a duration'],
    [`${'0,'.repeat(300)}0 22 * * 6 4h`, 'it is longer than 500 characters'],
    ['0 22 * * 6', 'it is not five cron fields, a duration'],
    ['0 22 * * 6 0h', 'it is not five cron fields, a duration'],
    ['0 22 * * 6 4h Europe/Berlin now', 'it is not five cron fields, a duration'],
    ['0 22 * * 6 4h Mars/Olympus', '"Mars/Olympus" is no time zone'],
    ['61 22 * * 6 4h', '"61 22 * * 6" is no cron pattern of five fields'],
    ['0 22 * * 6 200h', 'it is longer than 168h'],
  ])('is refused: %j', (text, problem) => {
    expect(readWindow(text)).toContain(problem);
  });

  test('is open when it says that it opens, and not before', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    const times = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        hour,
        fc.integer({ min: 1, max: 30 }),
        times,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (h, hours, now, part) => {
          const one = window(`0 ${h} * * * ${hours}h America/New_York`);
          const opens = opensAt(one, now) ?? Number.NaN;
          expect(opens).toBeGreaterThanOrEqual(now);
          expect(opensAt(one, opens)).toBe(opens);
          const before = Math.floor(now + (opens - now) * part);
          expect(opensAt(one, before)).toBe(before === now && opens === now ? now : opens);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('several windows', () => {
  const both = (now: string, ...texts: readonly string[]) => {
    const opening = allOpenAt(texts.map(window), at(now));
    if (opening === undefined) return undefined;
    return 'opensAt' in opening
      ? new Date(opening.opensAt).toISOString()
      : `not before ${new Date(opening.closedUntil).toISOString()}`;
  };
  test('are open together', () => {
    expect(both('2026-11-25T00:00:00Z', '0 22 * * * 4h', '0 1 * * 6 1h')).toBe('2026-11-28T01:00:00.000Z');
    expect(both('2026-11-25T23:00:00Z', '0 22 * * * 4h')).toBe('2026-11-25T23:00:00.000Z');
  });

  test('are open together at a time that is hundreds of openings away', () => {
    const inSummerOnly = ['0 22 * * * 1h Europe/Berlin', '15 20 * * * 30m UTC'];
    expect(both('2026-11-02T00:00:00Z', ...inSummerOnly)).toBe('2027-03-28T20:15:00.000Z');
    expect(both('2026-03-01T00:00:00Z', '0 22 * * * 1h', '0 0 29 2 * 24h')).toBe('2028-02-29T22:00:00.000Z');
  });

  test('that are not open together in the time that is looked at say until when', () => {
    expect(both('2026-11-25T00:00:00Z', '0 22 * * * 1h', '0 1 * * * 1h')).toMatch(/^not before 2028-12/);
  });

  test('of which one never comes are never open', () => {
    expect(both('2026-11-25T00:00:00Z', '0 22 * * * 1h', '0 0 30 2 * 1h')).toBeUndefined();
  });
});
