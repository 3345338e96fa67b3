import { describe, expect, test } from 'vitest';
import { takesLonger } from '../test/builders/cpu-time.ts';
import { attacksOn, madeExpressions, writtenExpressions } from '../test/builders/regular-expressions.ts';

/** Expressions that may take time in proportion to the square of their text, because that has a bound. */
const OF_SHORT_TEXTS: Readonly<Record<string, string>> = {
  'domain/diagnosis/': 'BOUNDS.diagnosis',
};

const found = [...(await madeExpressions()), ...writtenExpressions()].filter(
  ({ file }) => !Object.keys(OF_SHORT_TEXTS).some((folder) => file.startsWith(folder)),
);

/** At this length most expressions take some 0.01 ms, and those that search again from each sign 1 ms at least. */
const LENGTH = 10_000;
const SUSPICIOUS_MS = 1;
/** Ten times the length takes such an expression 100 ms at least, and any other one 2 ms. */
const MOST_CPU_MS = 50;

const search = (expression: RegExp, text: string): unknown =>
  expression.global ? text.replaceAll(expression, '') : expression.exec(text);

function isSuspicious(expression: RegExp, text: string): boolean {
  const before = performance.now();
  search(expression, text);
  return performance.now() - before > SUSPICIOUS_MS;
}

/** At this length an expression that doubles its time with each sign takes 100 ms. */
const SHORT = 24;
/** More than any expression takes that searches a text of up to `LENGTH` once. */
const SLOW_MS = 20;

/** True when a text takes the expression time that grows faster than the text. */
const isSlow = (expression: RegExp): boolean => {
  const takes = (text: string, moreThan: number): boolean => takesLonger(() => search(expression, text), moreThan);
  const doubles = (text: string): boolean => isSuspicious(expression, text) && takes(text, SLOW_MS);
  if (attacksOn(expression, SHORT).some(doubles)) return true;
  return attacksOn(expression, LENGTH).some((text, at) => {
    if (!isSuspicious(expression, text)) return false;
    return takes(text, SLOW_MS) || takes(attacksOn(expression, 10 * LENGTH)[at] ?? '', MOST_CPU_MS);
  });
};

describe('regular expressions of production code', () => {
  test('are recognised when they are slow', () => {
    expect([/-+$/, / *\u0085/, /^(a+)+$/, /<title>(.*?)<\/title>/].map((slow) => isSlow(slow))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([/^-+$/, /[ \u0085]+/g, /^a+$/].some((fast) => isSlow(fast))).toBe(false);
  });

  test('take CPU time in proportion to the length of their text', () => {
    expect(found.length).toBeGreaterThan(100);
    expect(
      found
        .filter(({ expression }) => isSlow(expression))
        .map(({ file, expression }) => `${file}: ${String(expression)}`),
    ).toEqual([]);
  });
});
