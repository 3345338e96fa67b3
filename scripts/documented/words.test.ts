import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countWords, MOST_WORDS, readWords, whyLeftOut, wordsOf } from './words.ts';

const { counted, leftOut } = readWords();

describe('what a person reads', () => {
  test('is README, CONTRIBUTING and docs/, and has at most 55,000 words', () => {
    expect(counted.map(({ page }) => page)).toEqual(
      expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/README.md', 'docs/operations/upgrade.md']),
    );
    expect(wordsOf(counted)).toBeLessThanOrEqual(MOST_WORDS);
  });

  test('leaves out decisions, what is rendered from code, and other folders, and says so of each', () => {
    const why = new Map(leftOut.map((each) => [each.page, each.why]));
    expect(why.get('docs/crds.md')).toBe('rendered from code');
    expect(why.get('docs/finding-faults.md')).toBe('recorded by a script');
    expect(why.get('docs/troubleshooting.md')).toBe('rendered from code: ## Diagnoses');
    expect(why.get('test/facts/reliability.md')).toBe('neither README, CONTRIBUTING nor docs/');
    expect(
      leftOut.filter(({ page, words }) => words === 0 || !existsSync(join(import.meta.dirname, '../..', page))),
    ).toEqual([]);
  });

  test.each(['docs/configuration.md', 'docs/crds.md', 'docs/metrics.md', 'docs/states.md'])(
    '%s is left out because a script writes it',
    (page) => {
      expect(whyLeftOut(page)).toBe('rendered from code');
    },
  );
});

test('a word has a letter or a digit', () => {
  expect(countWords('| a | `b c` |\n|---|---|\n- 1,000 ›')).toBe(4);
});
