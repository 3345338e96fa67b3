import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { canonical } from '../../domain/canonical.ts';
import { type BridgeConfig, bridgeConfig, readConfig, workersConfig } from '../../platform/config/config.ts';
import { cares } from '../../platform/config/controllers.ts';
import { namesMachines } from '../../platform/config/discovery-settings.ts';
import { rendered } from '../../test/builders/rendered.ts';

const OVERLAYS = readdirSync(join(import.meta.dirname, 'overlays')).map((name) => `kubernetes/overlays/${name}`);
const INSTALLATIONS = [...OVERLAYS, 'clusterctl/infrastructure', 'clusterctl/ipam'];

/** Secrets with the certificate of the webhooks, where they have another name. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  'clusterctl/infrastructure': 'capm3-webhook-service-cert',
  'clusterctl/ipam': 'ipam-webhook-service-cert',
};

/** Resources of which a rule in a namespace gives nothing. */
const WITHOUT_NAMESPACE = ['customresourcedefinitions', 'namespaces', 'nodes', 'subjectaccessreviews', 'tokenreviews'];

const labels = z.record(z.string(), z.string());
const object = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const mounted = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true) });
const container = z.object({
  image: z.string(),
  command: z.array(z.string()),
  envFrom: z.tuple([z.object({ configMapRef: z.object({ name: z.string() }) })]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  securityContext: z.object({
    readOnlyRootFilesystem: z.boolean().optional(),
    allowPrivilegeEscalation: z.boolean().optional(),
  }),
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ cpu: z.string(), memory: z.string() }),
  }),
  volumeMounts: z.array(mounted),
});
const secret = z.object({ secretName: z.string() }).optional();
const deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        topologySpreadConstraints: z.array(
          z.object({ topologyKey: z.string(), labelSelector: z.object({ matchLabels: labels }) }),
        ),
        containers: z.tuple([container]),
        volumes: z.array(z.object({ name: z.string(), secret })),
      }),
    }),
  }),
});
const disruptionBudget = z.object({
  spec: z.object({ minAvailable: z.number(), selector: z.object({ matchLabels: labels }) }),
});
const opened = z.strictObject({ port: z.number(), protocol: z.string().default('TCP') });
const networkPolicy = z.object({
  spec: z.object({
    podSelector: z.object({ matchLabels: labels }),
    policyTypes: z.array(z.string()),
    ingress: z.array(z.object({ ports: z.array(z.object({ port: z.union([z.string(), z.number()]) })) })).default([]),
    // No rule names an address: it would be that of one installation.
    egress: z.array(z.strictObject({ ports: z.array(opened) })).default([]),
  }),
});
const configMap = z.object({ metadata: z.object({ name: z.string() }), data: z.record(z.string(), z.string()) });

type Installed = readonly z.infer<typeof object>[];
const ofKind = <Schema extends z.ZodType>(objects: Installed, kind: string, schema: Schema): z.infer<Schema>[] =>
  objects.filter((one) => one.kind === kind).map((one) => schema.parse(one));
const installed = new Map<string, Installed>();
for (const folder of INSTALLATIONS)
  installed.set(
    folder,
    (await rendered(folder)).map((one) => object.parse(one)),
  );
const objectsOf = (folder: string): Installed => installed.get(folder) ?? [];
const deploymentsOf = (folder: string) => ofKind(objectsOf(folder), 'Deployment', deployment);
/** The Deployment whose Pods run this program. */
function running(folder: string, program: string) {
  const found = deploymentsOf(folder).find((one) => one.spec.template.spec.containers[0].command.at(-1) === program);
  if (found === undefined) throw new Error(`${folder} runs no ${program}`);
  return found.spec.template.spec;
}
const settingsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    ofKind(objectsOf(folder), 'ConfigMap', configMap).flatMap(({ data }) =>
      Object.entries(data).map(([name, value]) => [name, value.replace(/^\$\{\w+:=("")?(.*)\}$/, '$2')]),
    ),
  );
const selects = (selector: Record<string, string>, of: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => of[key] === value);

const portOf = (url: string): string => {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
};
/** Ports of the servers to which bridge and workers connect, with their protocols. */
function portsOfServers(config: BridgeConfig): readonly string[] {
  const { TEMPORAL_ADDRESS, IRONIC_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT } = config;
  // OpenShift's DNS Pods listen on 5353, and a policy sees the port of the Pod.
  const dns = ['53/TCP', '53/UDP', '5353/TCP', '5353/UDP'];
  // API servers, also those of workload clusters: their Services listen on 443, kubeadm's servers on 6443.
  const apiServers = ['443', '6443'];
  const others = [
    portOf(`grpc://${TEMPORAL_ADDRESS}`),
    ...(cares(config, 'hosts') && IRONIC_ENDPOINT !== undefined ? [portOf(IRONIC_ENDPOINT)] : []),
    ...(OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? [] : [portOf(OTEL_EXPORTER_OTLP_ENDPOINT)]),
  ];
  return [...new Set([...dns, ...[...apiServers, ...others].map((port) => `${port}/TCP`)])].toSorted();
}
/** Ports to which these policies let Pods connect. */
const allowedBy = (policies: readonly z.infer<typeof networkPolicy>[]): readonly string[] => {
  const ports = policies.flatMap(({ spec }) => spec.egress.flatMap((rule) => rule.ports));
  return [...new Set(ports.map(({ port, protocol }) => `${port}/${protocol}`))].toSorted();
};

describe.each(INSTALLATIONS)('%s', (folder) => {
  test('runs two bridges and two workers, on different nodes where there are several', () => {
    const deployments = deploymentsOf(folder);
    expect(deployments.map(({ spec }) => spec.replicas)).toEqual([2, 2]);
    for (const { spec } of deployments) {
      const { labels: own } = spec.template.metadata;
      const spread = spec.template.spec.topologySpreadConstraints;
      expect(spread.map(({ topologyKey }) => topologyKey)).toEqual(['kubernetes.io/hostname']);
      for (const { labelSelector } of spread) expect(selects(labelSelector.matchLabels, own)).toBe(true);
    }
  });

  test('keeps one of each while nodes are drained', () => {
    const budgets = ofKind(objectsOf(folder), 'PodDisruptionBudget', disruptionBudget);
    const keptOf = (own: Record<string, string>): readonly number[] =>
      budgets.filter(({ spec }) => selects(spec.selector.matchLabels, own)).map(({ spec }) => spec.minAvailable);
    const kept = deploymentsOf(folder).map(({ spec }) => keptOf(spec.template.metadata.labels));
    expect(kept).toEqual([[1], [1]]);
  });

  test('has settings that both processes know and accept', () => {
    const settings = settingsOf(folder);
    const known = new Set([...Object.keys(bridgeConfig.shape), ...Object.keys(workersConfig.shape)]);
    expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
    expect(() => [readConfig(bridgeConfig, settings), readConfig(workersConfig, settings)]).not.toThrow();
    const [{ metadata } = { metadata: { name: '' } }] = ofKind(objectsOf(folder), 'ConfigMap', configMap);
    for (const { spec } of deploymentsOf(folder))
      expect(spec.template.spec.containers[0].envFrom).toEqual([{ configMapRef: { name: metadata.name } }]);
  });

  test('opens the ports on which the processes listen, and no others', () => {
    const config = readConfig(bridgeConfig, settingsOf(folder));
    const ports = { healthz: config.HEALTH_ADDR.port, metrics: config.METRICS_ADDR?.port };
    const listening = (program: string) =>
      Object.fromEntries(running(folder, program).containers[0].ports.map((one) => [one.name, one.containerPort]));
    expect(listening('programs/workers.js')).toEqual(ports);
    expect(listening('programs/bridge.js')).toEqual({
      ...ports,
      'webhook-server': config.WEBHOOK_PORT,
      ...(config.CODEC_ADDR !== null && { codec: config.CODEC_ADDR.port }),
    });
    const policies = ofKind(objectsOf(folder), 'NetworkPolicy', networkPolicy);
    for (const { spec } of deploymentsOf(folder)) {
      const { labels: own } = spec.template.metadata;
      const reachable = policies
        .filter((policy) => selects(policy.spec.podSelector.matchLabels, own))
        .flatMap((policy) => policy.spec.ingress.flatMap((rule) => rule.ports.map(({ port }) => port)));
      const open = spec.template.spec.containers[0].ports.map(({ name }) => name);
      expect(new Set(reachable)).toEqual(new Set(open));
    }
  });

  test('lets bridge and workers connect to the ports of their servers, and to no others', () => {
    const wanted = portsOfServers(readConfig(bridgeConfig, settingsOf(folder)));
    const policies = ofKind(objectsOf(folder), 'NetworkPolicy', networkPolicy);
    for (const { spec } of deploymentsOf(folder)) {
      const limiting = policies
        .filter((policy) => policy.spec.policyTypes.includes('Egress'))
        .filter((policy) => selects(policy.spec.podSelector.matchLabels, spec.template.metadata.labels));
      expect(allowedBy(limiting)).toEqual(wanted);
    }
  });

  test('lets neither process write to its root file system or gain privileges', () => {
    const hardened = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false };
    const contexts = deploymentsOf(folder).map(({ spec }) => spec.template.spec.containers[0].securityContext);
    expect(contexts).toEqual([hardened, hardened]);
  });

  test('lets an activity of the workers end before they are killed', () => {
    const { SHUTDOWN_GRACE_TIME, IRONIC_CLIENT_TIMEOUT } = readConfig(workersConfig, settingsOf(folder));
    const { terminationGracePeriodSeconds } = running(folder, 'programs/workers.js');
    expect(SHUTDOWN_GRACE_TIME).toBeGreaterThan(IRONIC_CLIENT_TIMEOUT);
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(SHUTDOWN_GRACE_TIME);
  });

  test('mounts Secrets where the processes read them', () => {
    const config = readConfig(workersConfig, settingsOf(folder));
    const { WEBHOOK_CERT_DIR, WEBHOOK_CERTIFICATES, CODEC_ADDR, CODEC_CERT_DIR } = readConfig(
      bridgeConfig,
      settingsOf(folder),
    );
    const mountsOf = (program: string): Record<string, string> => {
      const { volumes, containers } = running(folder, program);
      const secretOf = new Map(volumes.map((volume) => [volume.name, volume.secret?.secretName]));
      return Object.fromEntries(
        containers[0].volumeMounts.map(({ name, mountPath }) => [secretOf.get(name) ?? name, mountPath]),
      );
    };
    const both = {
      ...(cares(config, 'hosts') && { 'ironic-credentials': `${config.METAL3_AUTH_ROOT_DIR}/ironic` }),
      ...(folder.endsWith('external-ironic') && {
        'ironic-ca': join(config.IRONIC_CACERT_FILE, '..'),
        'ironic-client-cert': join(config.IRONIC_CLIENT_CERT_FILE, '..'),
      }),
      ...(folder.endsWith('temporal-tls') && {
        'temporal-client-cert': join(config.TEMPORAL_TLS_CLIENT_CERT_PATH ?? '', '..'),
      }),
      ...(folder.endsWith('payload-encryption') && { 'temper-payload-keys': config.TEMPORAL_ENCRYPTION_KEYS_DIR }),
    };
    const certificate = CERTIFICATES[folder] ?? 'temper-webhook-server-cert';
    expect(mountsOf('programs/workers.js')).toEqual(both);
    expect(mountsOf('programs/bridge.js')).toEqual({
      ...both,
      ...(WEBHOOK_CERTIFICATES === 'mounted' && { [certificate]: WEBHOOK_CERT_DIR }),
      ...(CODEC_ADDR !== null && { 'temper-codec-cert': CODEC_CERT_DIR }),
    });
  });
});

test('lets bridge and workers connect to the collector of traces, with its component', () => {
  const read = (file: string): unknown =>
    parse(readFileSync(join(import.meta.dirname, 'components/traces', file), 'utf8'));
  const component = z.object({ configMapGenerator: z.tuple([z.object({ literals: z.array(z.string()) })]) });
  const [{ literals }] = component.parse(read('kustomization.yaml')).configMapGenerator;
  const settings = Object.fromEntries(literals.map((literal) => literal.split('=', 2) as [string, string]));
  const added = networkPolicy.parse(read('egress.yaml'));
  const folder = 'kubernetes/overlays/cert-manager';
  const config = readConfig(bridgeConfig, { ...settingsOf(folder), ...settings });
  const policies = ofKind(objectsOf(folder), 'NetworkPolicy', networkPolicy);
  expect(added.spec.policyTypes).toEqual(['Egress']);
  expect(allowedBy([...policies, added])).toEqual(portsOfServers(config));
  for (const { spec } of deploymentsOf(folder))
    expect(selects(added.spec.podSelector.matchLabels, spec.template.metadata.labels)).toBe(true);
});

test('encrypts payloads, and lets people read them through a Service and a certificate that are of one name', () => {
  const folder = 'kubernetes/overlays/payload-encryption';
  const config = readConfig(bridgeConfig, settingsOf(folder));
  const service = z.object({
    metadata: z.object({ name: z.string() }),
    spec: z.object({ ports: z.array(z.object({ port: z.number(), targetPort: z.unknown() })), selector: labels }),
  });
  const codec = ofKind(objectsOf(folder), 'Service', service).find(({ metadata }) => metadata.name === 'temper-codec');
  expect(codec?.spec.ports).toEqual([{ port: config.CODEC_ADDR?.port, targetPort: 'codec' }]);
  const selector = codec?.spec.selector ?? {};
  const behind = deploymentsOf(folder).filter(({ spec }) => selects(selector, spec.template.metadata.labels));
  expect(behind.map(({ metadata }) => metadata.name)).toEqual(['temper-bridge']);
  const certificate = z.object({ spec: z.object({ secretName: z.string(), dnsNames: z.array(z.string()) }) });
  const certificates = ofKind(objectsOf(folder), 'Certificate', certificate);
  const served = certificates.find(({ spec }) => spec.secretName === 'temper-codec-cert');
  expect(served?.spec.dnsNames).toContain('temper-codec.temper-system.svc');
});

test('discovers machines that a list names, with the right to create and delete hosts for the bridge alone', () => {
  const folder = 'kubernetes/overlays/discovery';
  const config = readConfig(bridgeConfig, settingsOf(folder));
  expect([config.DISCOVERY_ENABLED, namesMachines(config)]).toEqual([true, true]);
  const creators = ['temper-bridge', 'temper-workers'].map((account) =>
    Object.keys(rolesOf(folder, account))
      .flatMap((name) => rulesOf(folder, [name]))
      .filter(({ resources, verbs }) => resources.includes('baremetalhosts') && verbs.includes('create')),
  );
  expect(creators.map((rules) => rules.map(({ verbs }) => verbs))).toEqual([[['create', 'delete']], []]);
});

test.each(INSTALLATIONS)('%s gives no right to certificate requests, which another program approves', (folder) => {
  const role = z.object({ rules: z.array(z.looseObject({ apiGroups: z.array(z.string()).default([]) })) });
  const groups = ['ClusterRole', 'Role']
    .flatMap((kind) => ofKind(objectsOf(folder), kind, role))
    .flatMap(({ rules }) => rules.flatMap(({ apiGroups }) => apiGroups));
  expect(groups.length).toBeGreaterThan(0);
  for (const group of ['certificates.k8s.io', '*']) expect(groups).not.toContain(group);
});

/** By account, the roles, and the namespace in which they hold, or 'all'. */
function rolesOf(folder: string, account: string): Record<string, string> {
  const binding = z.object({
    metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
    roleRef: z.object({ name: z.string() }),
    subjects: z.array(z.object({ name: z.string() })),
  });
  const bound = ['ClusterRoleBinding', 'RoleBinding']
    .flatMap((kind) => ofKind(objectsOf(folder), kind, binding))
    .filter(({ subjects }) => subjects.some(({ name }) => name === account));
  return Object.fromEntries(bound.map(({ metadata, roleRef }) => [roleRef.name, metadata.namespace ?? 'all']));
}

function rulesOf(folder: string, names: readonly string[]) {
  const role = z.object({
    metadata: z.object({ name: z.string() }),
    rules: z.array(
      z.looseObject({ resources: z.array(z.string()).default([]), verbs: z.array(z.string()).default([]) }),
    ),
  });
  return ofKind(objectsOf(folder), 'ClusterRole', role)
    .filter(({ metadata }) => names.includes(metadata.name))
    .flatMap(({ rules }) => rules);
}

const ONE = 'kubernetes/overlays/one-namespace';

test('only in one namespace have the accounts rights to namespaced objects, when it is the only one watched', () => {
  const { WATCH_NAMESPACE: watched } = settingsOf(ONE);
  expect(rolesOf(ONE, 'temper-bridge')).toEqual({
    'temper-bridge-addresses-role': watched,
    'temper-bridge-role': watched,
    'temper-accounts': 'all',
    'temper-definitions-role': 'all',
    'temper-leader-election-role': 'temper-system',
    'temper-webhook-certificate': 'temper-system',
    'temper-webhook-configuration': 'all',
  });
  expect(rolesOf(ONE, 'temper-workers')).toEqual({
    'temper-workers-addresses-role': watched,
    'temper-workers-role': watched,
    'temper-accounts': 'all',
  });
});

test.each([
  ['bridge', ['customresourcedefinitions', 'namespaces']],
  ['workers', []],
])('the %s may use what has no namespace when only one is watched, too', (program, kinds) => {
  const own = `temper-${program}-role`;
  const withoutNamespace = rulesOf(ONE, [own]).filter(({ resources }) =>
    resources.some((resource) => WITHOUT_NAMESPACE.includes(resource)),
  );
  expect(withoutNamespace.flatMap(({ resources }) => resources).toSorted()).toEqual(kinds);
  // Of Namespaces, the watched one alone.
  const { WATCH_NAMESPACE: watched } = settingsOf(ONE);
  const narrowed = withoutNamespace.map(({ resources, ...rule }) => ({
    resources,
    ...(resources.includes('namespaces') && { resourceNames: [watched] }),
    ...rule,
  }));
  const elsewhere = Object.entries(rolesOf(ONE, `temper-${program}`))
    .filter(([name, where]) => where === 'all' && !/^temper-(accounts|webhook|views)/.test(name))
    .map(([name]) => name);
  const sorted = (rules: readonly object[]): readonly string[] =>
    rules.map((rule) => JSON.stringify(canonical(rule))).toSorted();
  expect(sorted(rulesOf(ONE, elsewhere))).toEqual(sorted(narrowed));
});

describe('kubernetes/overlays/worker-versions', () => {
  const workers = (folder: string) =>
    deploymentsOf(folder).find(
      ({ spec }) => spec.template.metadata.labels['app.kubernetes.io/component'] === 'workers',
    );

  test('gives the workers a version, and a Deployment that no other release has', () => {
    const folder = 'kubernetes/overlays/worker-versions';
    expect(readConfig(workersConfig, settingsOf(folder)).TEMPORAL_DEPLOYMENT_NAME).toBe('temper');
    const [versioned, usual] = [workers(folder), workers('kubernetes/overlays/cert-manager')];
    expect(versioned?.metadata.name).not.toBe(usual?.metadata.name);
    expect(selects(versioned?.spec.selector.matchLabels ?? {}, usual?.spec.template.metadata.labels ?? {})).toBe(false);
  });
});
