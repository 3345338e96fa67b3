import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alerts, panels } from '../deploy/monitoring/monitored.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/monitoring.md'), 'utf8');
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
