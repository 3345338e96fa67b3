import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hostSelector } from './label-selector.ts';

interface Recorded {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[] | null;
  readonly message: string;
}

const recorded = readFileSync(new URL('../../../test/selectors/recorded.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

test('a requirement is accepted, or refused in the words that upstream has', () => {
  expect(recorded.length).toBeGreaterThan(100);
  for (const { key, operator, values, message } of recorded) {
    const requirement = { key, operator, ...(values !== null && { values }) };
    const selector = hostSelector({ matchExpressions: [requirement] });
    // Temper knows one operator more.
    const wanted = message.replace('"exists", "!"', '"exists", "!", "doesnotexist"');
    expect(selector.kind === 'invalid' ? selector.message : '', JSON.stringify(requirement)).toBe(wanted);
  }
});

test('a requirement without a list of values, as upstream stores an empty one, is accepted', () => {
  const selector = hostSelector({ matchExpressions: [{ key: 'rack', operator: 'Exists' }] });
  expect(selector.kind === 'selector' && [{ rack: '' }, {}].map(selector.matches)).toEqual([true, false]);
});

test('the first invalid label, and the first ten of its problems, are named', () => {
  const words = (selector: Parameters<typeof hostSelector>[0]): string => {
    const read = hostSelector(selector);
    return read.kind === 'invalid' ? read.message : '';
  };
  expect(words({ matchLabels: { 'rack 1': '1' }, matchExpressions: [{ key: '-', operator: 'Near' }] })).toMatch(
    /^key: Invalid value: "rack 1": name part must consist of/,
  );
  const values = Array.from({ length: 512 }, (_, index) => `-${index}`);
  expect(words({ matchExpressions: [{ key: 'rack', operator: 'In', values }] }).match(/Invalid value/g)).toHaveLength(
    10,
  );
});
