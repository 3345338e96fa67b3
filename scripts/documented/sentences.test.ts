import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { longSentences } from './sentences.ts';

/** The pages that have been looked through. A page that is rewritten joins them. */
const CHECKED = [
  'CONTRIBUTING.md',
  'README.md',
  'bench/README.md',
  'docs/ARCHITECTURE.md',
  'docs/README.md',
  'docs/addresses.md',
  'docs/approvals.md',
  'docs/bench.md',
  'docs/clusterctl.md',
  'docs/command-line.md',
  'docs/conformance.md',
  'docs/data.md',
  'docs/differences.md',
  'docs/explain.md',
  'docs/fleet.md',
  'docs/glossary.md',
  'docs/installation.md',
  'docs/lab.md',
  'docs/machine-api.md',
  'docs/migration.md',
  'docs/monitoring.md',
  'docs/nightly.md',
  'docs/operations/backup-and-restore.md',
  'docs/operations/certificates.md',
  'docs/operations/proxies.md',
  'docs/operations/upgrade.md',
  'docs/operations/usual-times.md',
  'docs/reliability.md',
  'docs/remediation.md',
  'docs/seeds.md',
  'docs/steering.md',
  'docs/temporal-for-metal3.md',
  'docs/temporal.md',
  'docs/troubleshooting.md',
  'docs/tutorial.md',
  'docs/web-ui.md',
  'docs/webhooks.md',
  'test/README.md',
  'test/attacks/README.md',
  'test/facts/README.md',
] as const;

describe('the sentences of a page', () => {
  test.each(CHECKED)('%s are short', (page) => {
    const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8');
    expect(longSentences(text)).toEqual([]);
  });
});

describe('a sentence', () => {
  const words = (count: number): string => Array.from({ length: count }, () => 'a').join(' ');

  test('is too long with more than thirty words', () => {
    expect(longSentences(`A ${words(29)}. B ${words(30)}.`)).toEqual([`B ${words(30)}.`]);
  });
  test('ends with its item of a list, and with a blank line', () => {
    expect(longSentences(`- ${words(20)}\n- ${words(20)}\n\n${words(20)}`)).toEqual([]);
    expect(longSentences(`${words(20)}\n${words(20)}`)).toEqual([`${words(20)} ${words(20)}`]);
  });
  test('has a piece of code as one word, and of a link the text', () => {
    expect(longSentences(`${words(28)} \`a b c\` [d](e.md "f g").`)).toEqual([]);
  });
  test('may have thirty-five words in a cell of a table', () => {
    const cell = `A ${words(35)}.`;
    expect(longSentences(`text\n\n| ${words(35)} | \`a|b\` \\| ${words(20)}<br>${words(20)} | B. ${cell} |\n`)).toEqual(
      [cell],
    );
  });
  test('is not looked for in blocks of code and headings', () => {
    expect(longSentences(`# ${words(31)}\n\n\`\`\`\n${words(31)}\n| ${words(36)} |\n\`\`\`\n`)).toEqual([]);
  });
});
