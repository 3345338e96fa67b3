import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { METRICS_OF } from '../../platform/metrics/definitions.ts';
import { renderedWith } from '../../test/builders/rendered.ts';
import { spec as rules } from '../monitoring/monitored.ts';

const objects = await renderedWith('cert-manager', 'monitoring');

const labels = z.record(z.string(), z.string());
const meta = z.looseObject({ name: z.string(), namespace: z.string().optional(), labels: labels.optional() });
const named = z.looseObject({ kind: z.string(), metadata: meta });
const service = z.object({
  kind: z.literal('Service'),
  metadata: meta,
  spec: z.object({
    selector: labels,
    clusterIP: z.string(),
    publishNotReadyAddresses: z.boolean(),
    ports: z.array(z.object({ name: z.string(), targetPort: z.string() })),
  }),
});
const serviceMonitor = z.object({
  kind: z.literal('ServiceMonitor'),
  metadata: meta,
  spec: z.strictObject({
    selector: z.object({ matchLabels: labels }),
    endpoints: z.tuple([
      z.strictObject({
        port: z.string(),
        scheme: z.string(),
        path: z.string(),
        honorLabels: z.boolean(),
        bearerTokenFile: z.string(),
        tlsConfig: z.object({ insecureSkipVerify: z.boolean() }),
      }),
    ]),
  }),
});
const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: meta,
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({ containers: z.tuple([z.object({ ports: z.array(z.object({ name: z.string() })) })]) }),
    }),
  }),
});
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  metadata: meta,
  rules: z.array(z.looseObject({ verbs: z.array(z.string()) })),
});
const binding = z.object({
  kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
  metadata: meta,
  roleRef: z.object({ name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() })),
});

const all = <Schema extends z.ZodType>(schema: Schema): z.infer<Schema>[] =>
  objects.flatMap((one) => {
    const read = schema.safeParse(one);
    return read.success ? [read.data] : [];
  });
const selects = (selector: Readonly<Record<string, string>>, of: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(selector).every(([key, value]) => of[key] === value);

const [monitor] = all(serviceMonitor);
const served = all(service).filter(({ metadata }) =>
  selects(monitor?.spec.selector.matchLabels ?? {}, metadata.labels),
);

describe('the component monitoring', () => {
  test('has one ServiceMonitor, which finds one Service, behind which are bridge and workers, ready or not', () => {
    expect(served.map(({ metadata }) => metadata.name)).toEqual(['temper-metrics']);
    const [{ spec, metadata }] = served as [(typeof served)[0]];
    expect(metadata.namespace).toBe(monitor?.metadata.namespace);
    expect([spec.clusterIP, spec.publishNotReadyAddresses]).toEqual(['None', true]);
    const behind = all(deployment).filter((one) => selects(spec.selector, one.spec.template.metadata.labels));
    expect(behind.map((one) => one.metadata.name)).toEqual(['temper-bridge', 'temper-workers']);
    const [endpoint] = monitor?.spec.endpoints ?? [];
    const [target] = spec.ports.filter(({ name }) => name === endpoint?.port).map(({ targetPort }) => targetPort);
    for (const one of behind)
      expect(one.spec.template.spec.containers[0].ports.map(({ name }) => name)).toContain(target);
  });

  test('shows the token of Prometheus over HTTPS, as both processes demand it', () => {
    expect(monitor?.spec.endpoints[0]).toMatchObject({
      scheme: 'https',
      path: '/metrics',
      bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    });
  });

  test('keeps the labels of a metric that Prometheus has for its targets, too: alerts name the namespace of hosts', () => {
    const ofTargets = ['namespace', 'pod', 'service', 'endpoint', 'container', 'job', 'instance'];
    const ofMetrics = Object.values({ ...METRICS_OF.bridge, ...METRICS_OF.workers }).flatMap((one) => one.labels);
    expect(ofMetrics.some((label) => ofTargets.includes(label))).toBe(true);
    expect(monitor?.spec.endpoints[0].honorLabels).toBe(true);
  });

  test('has all alerts of deploy/monitoring', () => {
    const found = z.object({ kind: z.literal('PrometheusRule'), metadata: meta, spec: z.unknown() });
    expect(all(found).map(({ spec, metadata }) => [metadata.namespace, spec])).toEqual([['temper-system', rules]]);
  });

  test('lets the accounts of the namespace monitoring find the Pods and read their metrics, and nothing else', () => {
    const group = 'system:serviceaccounts:monitoring';
    const bound = all(binding).filter(({ subjects }) => subjects.some(({ name }) => name === group));
    const rights = bound.map(({ metadata, roleRef }) => [
      metadata.namespace ?? 'everywhere',
      all(role).find((one) => one.metadata.name === roleRef.name)?.rules,
    ]);
    expect(rights).toEqual([
      [
        'temper-system',
        [
          { apiGroups: [''], resources: ['endpoints', 'pods', 'services'], verbs: ['get', 'list', 'watch'] },
          { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
        ],
      ],
      ['everywhere', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]],
    ]);
  });

  test('binds no account that does not exist', () => {
    const accounts = all(named).filter(({ kind }) => kind === 'ServiceAccount');
    const known = accounts.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const subjects = all(binding).flatMap((one) => one.subjects.filter(({ kind }) => kind === 'ServiceAccount'));
    expect(subjects.length).toBeGreaterThan(0);
    const missing = subjects.map(({ namespace, name }) => `${namespace}/${name}`).filter((one) => !known.includes(one));
    expect(missing).toEqual([]);
  });
});
