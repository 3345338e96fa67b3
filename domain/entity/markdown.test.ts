import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aHost } from '../../test/builders/host.ts';
import { hostEntity } from '../host/entity.ts';
import { summaryLine } from './details.ts';
import { codeLine, joined, linkTo, markdown } from './markdown.ts';

describe('what users have written', () => {
  test.each([
    ['[log in](https://evil.test)', String.raw`\[log in\](https://evil.test)`],
    ['![](https://evil.test/seen.png)', String.raw`!\[\](https://evil.test/seen.png)`],
    ['<img src=x onerror=alert(1)>', String.raw`\<img src=x onerror=alert(1)\>`],
    ['**approved** and ~~held~~', String.raw`\*\*approved\*\* and \~\~held\~\~`],
    ['`rm -rf`', '\\`rm -rf\\`'],
    ['_a_ but snake_case', String.raw`\_a\_ but snake_case`],
    ['&lt;b&gt; & co', String.raw`\&lt;b\&gt; & co`],
    ['\\[x\\]', String.raw`\\\[x\\\]`],
    ['a\n\n# Approved\n\n- yes', 'a # Approved - yes'],
    ['# Approved', String.raw`\# Approved`],
    ['- yes', String.raw`\- yes`],
    ['1. yes', String.raw`1\. yes`],
    ['    code', ' code'],
    ['no route to host: 10.0.0.7 (2 of 5)', 'no route to host: 10.0.0.7 (2 of 5)'],
  ])('is shown as it is: %j', (written, shown) => {
    expect(markdown`${written}`).toBe(shown);
    expect(markdown`**Now** ${written}`).toBe(`**Now** ${shown}`);
  });

  test('is in the details and the summaries of a run without a meaning', () => {
    const host = aHost({ state: 'inspecting' });
    const failed = { ...host.status, errorType: 'inspection error', errorMessage: '[log in](https://evil.test)' };
    expect(hostEntity.detailsOf({ ...host, status: failed } as typeof host, '')).toContain(String.raw`\[log in\](`);
    expect(hostEntity.detailsOf(host, 'paused by <b>ada</b>')).toContain(String.raw`paused by \<b\>ada\</b\>`);
    expect(summaryLine('Provision http://images.test/[x](y)_1.img')).toBe(
      String.raw`Provision http://images.test/\[x\](y)\_1.img`,
    );
  });
});

test.each([
  '*'.repeat(200),
  `waiting for the window 53 17 * * * 30m of the host, which opens at ${'x'.repeat(80)}`,
  'short',
])('a summary is no longer than the line of the Web UI, whatever is escaped in it: %s', (text) => {
  const line = summaryLine(text);
  expect(line.length).toBeLessThanOrEqual(80);
  expect(line.length).toBeGreaterThan(Math.min(text.length, 77) - 1);
  expect(line.replaceAll(/\\[*]/g, '').includes('*')).toBe(false);
});

test('links lead into the Web UI, whatever the name of their object is', () => {
  expect(linkTo('metal/x](https://evil.test)', '/namespaces/default/workflows/a)b')).toBe(
    String.raw`[metal/x\](https://evil.test)](/namespaces/default/workflows/a%29b)`,
  );
});

test('a command is one line of code', () => {
  expect(joined([markdown``, codeLine('temporal \\\n# x')])).toBe('\n    temporal \\ # x');
});

/** Other texts of Temporal's Web UI, which shows them as Markdown: none has words of others. */
const OTHERS: Readonly<Record<string, string>> = {
  'workflows/life/operation.ts': 'The id of a workflow, and a summary from `summaryLine`.',
  'k8s-bridge/signal/signals.ts': 'Kind, name and namespace, which the API server has checked.',
  'activities/requests/places.ts': 'A constant.',
  'platform/temporal/cluster-identity.ts': 'The uid of a Namespace.',
};

test('no text gets into the Web UI past the template', () => {
  const root = join(import.meta.dirname, '../..');
  const files = globSync('{domain,workflows,activities,k8s-bridge,platform}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const having = (what: RegExp): readonly string[] =>
    files.flatMap(([file, source]) => (what.test(source) ? [file] : [])).toSorted();
  expect(having(/setCurrentDetails\(/)).toEqual(['workflows/life/show-details.ts']);
  expect(having(/ as Markdown\s*[;,)]/)).toEqual(['domain/entity/markdown.ts']);
  expect(having(/static(Summary|Details):/)).toEqual(Object.keys(OTHERS).toSorted());
});
