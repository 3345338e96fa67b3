import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { MetricDefinition } from '../../domain/metrics/definitions.ts';
import { METRICS_OF } from '../../platform/metrics/definitions.ts';
import { isInstalled } from '../../test/builders/program.ts';
import { alerts, metricsOf, panels, readMonitoring, spec } from './monitored.ts';

const ruleTests = z.object({
  tests: z.array(
    z.looseObject({
      name: z.string(),
      input_series: z.array(z.unknown()),
      alert_rule_test: z.array(z.looseObject({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) })),
    }),
  ),
});
const { tests } = ruleTests.parse(parse(await readMonitoring('rules.test.yaml')));
const fired = tests
  .flatMap((each) => each.alert_rule_test)
  .flatMap(({ alertname, exp_alerts: expected }) => (expected.length === 0 ? [] : [alertname]));

/** The labels of each metric. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...Object.entries<MetricDefinition>({ ...METRICS_OF.bridge, ...METRICS_OF.workers }).map(
    ([name, { labels }]) => [name, labels] as const,
  ),
  // Counted within workflows: the SDK serves them.
  ['temper_messages_ignored_total', ['message']],
  ['temper_messages_refused_total', ['message']],
]);

const groupsOf = (expr: string): readonly string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
const selectedBy = (expr: string): readonly string[] =>
  [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, selectors = '']) =>
    [...selectors.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  );
const labelsOf = (expr: string): readonly string[] => [...groupsOf(expr), ...selectedBy(expr)];

test.each([
  ...alerts.map(({ alert, expr }) => [`the alert ${alert}`, [expr]] as const),
  ...panels.map(({ title, targets }) => [`the panel '${title}'`, targets.map(({ expr }) => expr)] as const),
])('%s is about metrics that there are', (_, exprs) => {
  const used = exprs.flatMap(metricsOf);
  expect(used).not.toEqual([]);
  expect(used.filter((name) => !LABELS.has(name))).toEqual([]);
  for (const expr of exprs) {
    const known = ['le', ...metricsOf(expr).flatMap((name) => LABELS.get(name) ?? [])];
    expect(labelsOf(expr).filter((label) => !known.includes(label))).toEqual([]);
  }
});

test.each(alerts)('the alert $alert names labels that it has, and fires in a test', ({ alert, expr, annotations }) => {
  const grouped = groupsOf(expr);
  const known = expr.includes('sum') ? grouped : metricsOf(expr).flatMap((name) => LABELS.get(name) ?? []);
  const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label ?? '');
  expect(named.filter((label) => !known.includes(label))).toEqual([]);
  expect(fired).toContain(alert);
});

test('of every alert a test says what is expected when nothing is measured', () => {
  const said = tests.filter(({ input_series: series }) => series.length === 0).flatMap((each) => each.alert_rule_test);
  expect(said.map(({ alertname }) => alertname).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});

const hasPromtool = await isInstalled('promtool', 'prometheus', 'what the rules say');

describe.skipIf(!hasPromtool)('promtool', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'temper-rules-'));
    await writeFile(join(dir, 'rules.json'), JSON.stringify(spec));
    await writeFile(join(dir, 'tests.yaml'), await readMonitoring('rules.test.yaml'));
    const queries = panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }, target) => ({ record: `panel:${title.replaceAll(/\W/g, '_')}_${target}`, expr })),
    );
    await writeFile(join(dir, 'panels.json'), JSON.stringify({ groups: [{ name: 'panels', rules: queries }] }));
  });
  afterAll(() => rm(dir, { recursive: true }));

  test.each(['rules.json', 'panels.json'])('understands all of %s', async (file) => {
    const { stdout } = await execa('promtool', ['check', 'rules', join(dir, file)]);
    expect(stdout).toMatch(/SUCCESS: [1-9]\d* rules found/);
  });

  test('sees alerts fire, and not fire', async () => {
    const { stdout, exitCode } = await execa('promtool', ['test', 'rules', 'tests.yaml'], { cwd: dir, reject: false });
    expect(stdout).toContain('SUCCESS');
    expect(exitCode).toBe(0);
  });
});
