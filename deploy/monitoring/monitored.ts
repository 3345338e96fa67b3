import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/** The alerts of `rules.yaml` and the panels of `dashboard.json`, and the metrics that they use. */

export const readMonitoring = (name: string): Promise<string> =>
  readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8');

const alertingRule = z.looseObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.object({ severity: z.string() }),
  annotations: z.object({ summary: z.string() }),
});
const rules = z.object({
  spec: z.object({
    groups: z.array(z.looseObject({ rules: z.array(alertingRule) })),
  }),
});
const dashboard = z.object({
  panels: z.array(z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })) })),
});

export const { spec } = rules.parse(parse(await readMonitoring('rules.yaml')));
export const alerts = spec.groups.flatMap((group) => group.rules);
export const { panels } = dashboard.parse(JSON.parse(await readMonitoring('dashboard.json')));

const METRIC = /\b(?:temper|metal3|controller_runtime|workqueue|leader_election|rest_client|certwatcher)_\w+/g;

/** The names of the metrics in an expression, histograms without `_bucket`. */
export const metricsOf = (expr: string): readonly string[] =>
  (expr.match(METRIC) ?? []).map((name) => name.replace(/_bucket$/, ''));
