import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alerts, panels } from '../deploy/monitoring/monitored.ts';
import { headingIds } from './documented/headings.ts';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8');
const namedIn = (section: string, pattern: RegExp): readonly string[] => {
  const [, after = ''] = page.split(`\n## ${section}\n`);
  return [...(after.split('\n## ')[0] ?? '').matchAll(pattern)].map(([, name = '']) => name).toSorted();
};

describe('docs/monitoring.md', () => {
  test('names each alert that there is, once', () => {
    expect(namedIn('Alerts', /`(Temper\w+)`/g)).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });

  test('names panels of the dashboard by their titles', () => {
    const titles = panels.map(({ title }) => title);
    const named = namedIn('The dashboard', /^\| (\*.*\*) \|/gm).flatMap((cell) => cell.split('*, *'));
    expect(named.length).toBeGreaterThan(5);
    expect(named.map((title) => title.replaceAll('*', '')).filter((title) => !titles.includes(title))).toEqual([]);
  });
});

test.each(alerts)('the text of the alert $alert leads to a page, and to a heading of it', ({ annotations }) => {
  const [, path = '', heading] = /\((docs\/[\w./-]+\.md)#([\w-]+)\)/.exec(annotations.summary) ?? [];
  expect(headingIds(readFileSync(join(ROOT, path), 'utf8'))).toContain(heading);
});
