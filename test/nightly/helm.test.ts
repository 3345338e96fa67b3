import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { componentNames, withComponents } from '../../deploy/helm/variants.ts';
import { canonical } from '../../domain/canonical.ts';
import { createResolver } from '../../lab/binaries/resolve.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { kubectlPath } from '../builders/rendered.ts';
import { linkCheckout } from '../e2e/support/checkout.ts';
import { aFixtureLab, fixtureHost, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { apply, kubectl } from '../e2e/support/hosts.ts';
import { ROOT } from '../e2e/support/start.ts';
import { blockOf, createShell } from '../e2e/support/versions/procedure.ts';

/** The chart of Helm, judged by the real Helm and installed with the commands of docs/installation.md. */
const PAGE = 'docs/installation.md';
const record = recordCommands('test/nightly/helm.test.ts');
const HOME = 'temper-system';
let folder: string;
let helm: string;
let kube: string;
let chart: string;
let lab: TestFixtureLab;
let run: (commands: string) => Promise<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-helm-'));
  [helm, kube, lab] = await Promise.all([
    createResolver()('helm').then(({ path }) => path),
    kubectlPath(),
    aFixtureLab({ temper: false, crds: false }),
  ]);
  const checkout = await linkCheckout(ROOT, folder);
  chart = join(checkout, 'dist', 'helm', 'temper');
  const shell = await createShell(folder, lab.endpoints);
  await symlink(helm, join(folder, 'bin', 'helm'));
  const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
  run = record.shell((commands) => shell(`cd '${checkout}'\n${commands}`, { PATH: path, HELM_CACHE_HOME: folder }));
  const [, values = ''] = /^```yaml\n(# values.yaml[^]*?)^```$/m.exec(await readFile(join(ROOT, PAGE), 'utf8')) ?? [];
  await writeFile(join(checkout, 'values.yaml'), values);
  await run(await blockOf(PAGE, 'npm run package -- --image'));
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

type Values = Readonly<Record<string, unknown>>;

async function render(values: Values, namespace = HOME) {
  const file = join(await mkdtemp(join(folder, 'values-')), 'values.yaml');
  await writeFile(file, stringify(values));
  const args = ['template', 'temper', chart, '--namespace', namespace, '--values', file];
  return execa(helm, [...args, '--kube-version', '1.34.4'], { reject: false });
}

/** The values that choose these components. */
function valuesFor(components: readonly string[]): Values {
  const own = ['cert-manager', 'self-managed', 'one-namespace', 'temporal-tls', 'ironic-tls'];
  return {
    webhooks: { certificates: components.includes('self-managed') ? 'self-managed' : 'cert-manager' },
    namespaces: components.includes('one-namespace') ? ['metal3'] : [],
    temporal: { tls: components.includes('temporal-tls') },
    ironic: { tls: components.includes('ironic-tls') },
    components: components.filter((component) => !own.includes(component)),
  };
}

const named = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** Objects by kind and name, without what the two do not have in common, in one order. */
function comparable(objects: readonly unknown[]): Readonly<Record<string, unknown>> {
  const found = objects
    .map((one) => named.parse(one))
    // The chart leaves its namespace to who installs it.
    .filter(({ kind }) => kind !== 'Namespace')
    .map((one) => [`${one.kind} ${one.metadata.namespace} ${one.metadata.name}`, tidy(one)] as const);
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const OF_THE_CHART = ['helm.sh/resource-policy', 'checksum/settings'];
/** Without empty fields; items with names are sorted, because components may be chosen in another order. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(tidy);
    return items.every((item) => item !== null && typeof item === 'object' && 'name' in item)
      ? items.map((item) => canonical(item)).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value)
    .filter(([key]) => !OF_THE_CHART.includes(key))
    .map(([key, field]) => [key, key === 'image' ? 'image' : tidy(field)] as const)
    .filter(([, field]) => field !== null && JSON.stringify(field) !== '{}' && JSON.stringify(field) !== '[]');
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
const objectsOf = (text: string): readonly unknown[] =>
  parseAllDocuments(text).flatMap((document) => (document.contents === null ? [] : [document.toJS() as unknown]));

test('helm lint finds nothing', async () => {
  const { stdout, exitCode } = await execa(helm, ['lint', '--strict', chart], { reject: false });
  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(stdout).not.toMatch(/\[(?:WARNING|ERROR)\]/);
  expect(exitCode).toBe(0);
});

describe('the chart is what kustomize renders', async () => {
  const CERTIFICATES = ['cert-manager', 'self-managed'];
  const others = (await componentNames()).filter((name) => !CERTIFICATES.includes(name));
  const pairs = others.flatMap((one, at) => others.slice(at + 1).map((other) => [one, other]));
  const exclusive = (components: readonly string[]): boolean =>
    components.includes('addresses-only') && components.includes('without-addresses');

  test.each([[], ...others.map((name) => [name]), ...pairs.filter((pair) => !exclusive(pair))].map((each) => [each]))(
    'with %j',
    async (components) => {
      for (const certificate of CERTIFICATES) {
        const all = [certificate, ...components];
        // A component may ask for another one's objects, and so stand behind it.
        const expected = await withComponents(kube, all).catch(() =>
          withComponents(kube, [certificate, ...components.toReversed()]),
        );
        const { stdout, stderr } = await render(valuesFor(all));
        expect(stderr).toBe('');
        expect(comparable(objectsOf(stdout))).toEqual(comparable(expected));
      }
    },
  );

  test('with all that can be together', async () => {
    const all = others.filter((name) => !['addresses-only', 'without-addresses', 'fixture'].includes(name));
    const { stdout } = await render(valuesFor(['self-managed', ...all]));
    expect(comparable(objectsOf(stdout))).toEqual(comparable(await withComponents(kube, ['self-managed', ...all])));
  });
});

describe('values', () => {
  test('of the namespace are followed everywhere', async () => {
    const [home, elsewhere] = await Promise.all([render(valuesFor([])), render(valuesFor([]), 'elsewhere')]);
    expect(elsewhere.stdout).toBe(home.stdout.replaceAll(HOME, 'elsewhere'));
  });

  test('of several namespaces give the rights of one in each, and are the ones watched', async () => {
    const { stdout } = await render({ ...valuesFor([]), namespaces: ['north', 'south'] });
    const bindings = objectsOf(stdout)
      .map((one) => named.parse(one))
      .filter(({ kind }) => kind === 'RoleBinding');
    const of = (namespace: string) =>
      bindings.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name);
    expect(of('north')).toEqual(of('south'));
    expect(of('north').length).toBeGreaterThan(2);
    expect(stdout).toContain('WATCH_NAMESPACE: north,south');
  });

  test('of the image, replicas, addresses and other settings are where they belong', async () => {
    const { stdout } = await render({
      image: { repository: 'registry.example.com/temper', tag: '1', digest: `sha256:${'0a'.repeat(32)}` },
      imagePullSecrets: [{ name: 'registry' }],
      replicas: { bridge: 3, workers: 5 },
      temporal: { address: 'temporal.example.com:7233', namespace: 'metal' },
      ironic: { endpoint: 'https://ironic.example.com:6385/v1/' },
      settings: { LOG_LEVEL: 'debug', PROVISIONING_LIMIT: '40' },
      nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
      tolerations: [{ operator: 'Exists' }],
    });
    const objects = objectsOf(stdout).map((one) => named.parse(one));
    const pods = z.object({
      spec: z.object({ replicas: z.number(), template: z.object({ spec: z.looseObject({}) }) }),
    });
    const deployments = objects.filter(({ kind }) => kind === 'Deployment').map((one) => pods.parse(one).spec);
    expect(deployments.map(({ replicas }) => replicas)).toEqual([3, 5]);
    for (const { template } of deployments)
      expect(template.spec).toMatchObject({
        imagePullSecrets: [{ name: 'registry' }],
        nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
        tolerations: [{ operator: 'Exists' }],
        containers: [{ image: `registry.example.com/temper@sha256:${'0a'.repeat(32)}` }],
      });
    expect(objects.find(({ kind }) => kind === 'ConfigMap')?.['data']).toEqual({
      TEMPORAL_ADDRESS: 'temporal.example.com:7233',
      TEMPORAL_NAMESPACE: 'metal',
      IRONIC_ENDPOINT: 'https://ironic.example.com:6385/v1/',
      LOG_LEVEL: 'debug',
      PROVISIONING_LIMIT: '40',
    });
  });

  test.each([
    ['an image without a name', { image: { repository: '' } }, 'image.repository is not given'],
    ['a value that there is not', { replica: 3 }, "additional properties 'replica' not allowed"],
    [
      'a setting that there is not',
      { settings: { PROVISIONING_LIMITS: '1' } },
      "at '/settings': additional properties 'PROVISIONING_LIMITS'",
    ],
    ['a setting that is no text', { settings: { PROVISIONING_LIMIT: 20 } }, 'settings/PROVISIONING_LIMIT'],
    ['a component that there is not', { components: ['tracing'] }, 'components/0'],
    [
      'components that exclude each other',
      { components: ['addresses-only', 'without-addresses'] },
      'exclude each other',
    ],
  ])('refuse %s', async (_, values, message) => {
    const { exitCode, stderr } = await render(values);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(message);
  });
});

describe('on an API server', () => {
  const inHome = async (...what: readonly string[]): Promise<unknown> =>
    JSON.parse(await kubectl(lab, ['get', '-n', HOME, '-o', 'json', ...what]));
  const namesOf = async (...what: readonly string[]): Promise<readonly string[]> =>
    (await kubectl(lab, ['get', '-o', 'name', ...what])).split('\n').filter(Boolean);
  const pods = z.object({
    items: z.array(
      z.object({
        metadata: z.object({ name: z.string() }),
        spec: z.object({
          template: z.object({
            metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
            spec: z.object({ containers: z.array(z.object({ image: z.string() })) }),
          }),
        }),
      }),
    ),
  });
  const deployments = async () => pods.parse(await inHome('deployments')).items;

  test('the commands of the page install it with the values of the page', async () => {
    const printed = await run(await blockOf(PAGE, 'kubectl apply -f deploy/kubernetes/base/namespace.yaml'));

    expect(printed).not.toMatch(/warning|error/i);
    const found = await deployments();
    expect(found.map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0]?.image])).toEqual([
      ['temper-bridge', 'registry.example.com/temper:1.14.99'],
      ['temper-workers', 'registry.example.com/temper:1.14.99'],
    ]);
    const values = z
      .object({ settings: z.record(z.string(), z.string()), temporal: z.object({ address: z.string() }) })
      .parse(parse(await readFile(join(chart, '../../..', 'values.yaml'), 'utf8')));
    const data = await kubectl(lab, ['get', '-n', HOME, 'configmap', 'temper-settings', '-o', 'jsonpath={.data}']);
    expect(JSON.parse(data)).toMatchObject({ ...values.settings, TEMPORAL_ADDRESS: values.temporal.address });
    expect((await namesOf('crds')).length).toBeGreaterThan(15);
  });

  test('an upgrade restarts the Pods for a changed setting, and leaves the certificate that the bridge wrote', async () => {
    const before = await deployments();
    const caBundle = Buffer.from('a certificate').toString('base64');
    const configuration = 'validatingwebhookconfiguration/temper-validating-webhook-configuration';
    const add = (path: string): string => JSON.stringify([{ op: 'add', path, value: caBundle }]);
    await kubectl(lab, ['patch', configuration, '--type=json', '-p', add('/webhooks/0/clientConfig/caBundle')]);

    await run(`${await blockOf(PAGE, 'helm upgrade temper')}\n`);
    await execa(
      helm,
      ['upgrade', 'temper', chart, '-n', HOME, '--reuse-values', '--set-string', 'settings.LOG_LEVEL=debug'],
      { env: { KUBECONFIG: lab.endpoints.kubeconfig } },
    );

    const after = await deployments();
    const checksums = (items: typeof after) =>
      items.map(({ spec }) => spec.template.metadata.annotations['checksum/settings']);
    expect(checksums(after)).not.toEqual(checksums(before));
    expect(await kubectl(lab, ['get', configuration, '-o', 'jsonpath={.webhooks[0].clientConfig.caBundle}'])).toBe(
      caBundle,
    );
  });

  test('an uninstallation leaves the CRDs, and so the hosts; what was there before is taken over when that is asked for', async () => {
    const crds = await namesOf('crds');
    await run('helm uninstall temper --namespace temper-system');
    expect(await namesOf('crds')).toEqual(crds);
    expect(await namesOf('deployments,services,serviceaccounts,networkpolicies', '-n', HOME)).toEqual([
      'serviceaccount/default',
    ]);
    const ours = 'clusterroles,clusterrolebindings,validatingwebhookconfigurations,validatingadmissionpolicies';
    expect((await namesOf(ours)).filter((name) => name.includes('temper'))).toEqual([]);

    await apply(lab, fixtureHost('kept'));
    // As they are where others have installed them.
    await kubectl(lab, ['annotate', 'crds', '--all', 'meta.helm.sh/release-name-']);
    const install = ['install', 'temper', chart, '-n', HOME, '--set', 'webhooks.certificates=self-managed'];
    const env = { KUBECONFIG: lab.endpoints.kubeconfig };
    const refused = await execa(helm, install, { env, reject: false });
    expect(refused.stderr).toContain('baremetalhosts.metal3.io');
    await execa(helm, [...install, '--take-ownership'], { env });
    await execa(helm, ['uninstall', 'temper', '-n', HOME], { env });
    expect(await namesOf('baremetalhosts', '-A')).toEqual(['baremetalhost.metal3.io/kept']);
  });
});
