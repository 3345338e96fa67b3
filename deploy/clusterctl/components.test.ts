import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { customResources } from '../../api/crds.ts';
import { bridgeConfig, readConfig, workersConfig } from '../../platform/config/config.ts';
import { kubectlPath } from '../../test/builders/rendered.ts';
import { components, INFRASTRUCTURE, IPAM } from './components.ts';

const service = z.object({ namespace: z.string(), name: z.string(), path: z.string() });
const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
const configMap = z.object({ data: z.record(z.string(), z.string()) });
const crd = z.object({
  spec: z.object({
    conversion: z.object({ webhook: z.object({ clientConfig: z.object({ service }) }).optional() }).optional(),
  }),
});
const webhooks = z.object({ webhooks: z.array(z.object({ clientConfig: z.object({ service }) })) });
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  livenessProbe: probe,
  readinessProbe: probe,
});
const deployment = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        serviceAccountName: z.string(),
        securityContext: z.object({ runAsUser: z.number() }),
        containers: z.array(container),
      }),
    }),
  }),
});
const clusterRole = z.object({
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()).default([]),
      resources: z.array(z.string()).default([]),
      verbs: z.array(z.string()),
    }),
  ),
});
const roleBinding = z.object({
  roleRef: z.object({ name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string() })),
});
const certificate = z.object({
  spec: z.object({ secretName: z.string(), issuerRef: z.object({ kind: z.string(), name: z.string() }) }),
});

const kubectl = await kubectlPath();
const IMAGE = 'registry.example.com/temper:1';
const text = await components(kubectl, INFRASTRUCTURE, IMAGE);
const objects = parseAllDocuments(text).map((document) => object.parse(document.toJS()));
const ofKind = (kind: string) => objects.filter((one) => one.kind === kind);

type Rules = z.infer<typeof clusterRole>['rules'];
const WRITING = ['create', 'delete', 'patch', 'update'];
const rulesOf = (name: string): Rules =>
  ofKind('ClusterRole')
    .filter(({ metadata }) => metadata.name === name)
    .flatMap((one) => clusterRole.parse(one).rules);
const resourcesOf = (rules: Rules): readonly string[] =>
  [
    ...new Set(
      rules.flatMap((rule) => rule.apiGroups.flatMap((group) => rule.resources.map((one) => `${group}/${one}`))),
    ),
  ].toSorted();

const writtenBy = (rules: Rules): readonly string[] =>
  resourcesOf(rules.filter(({ verbs }) => verbs.some((verb) => WRITING.includes(verb))));
const REVIEWS = ['authentication.k8s.io/tokenreviews', 'authorization.k8s.io/subjectaccessreviews'];

const CRDS = customResources.map(({ group, plural }) => `${plural}.${group}`).toSorted();

describe('the components of the provider', () => {
  test('are labelled as the provider’s, each of them', () => {
    expect(
      objects.filter(({ metadata }) => metadata.labels['cluster.x-k8s.io/provider'] !== 'infrastructure-metal3'),
    ).toEqual([]);
  });

  test('live in one namespace, which is among them', () => {
    expect(ofKind('Namespace').map(({ metadata }) => metadata.name)).toEqual(['capm3-system']);
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set([undefined, 'capm3-system']));
  });

  test('run the image that they are made for', () => {
    const images = ofKind('Deployment').flatMap((one) =>
      deployment.parse(one).spec.template.spec.containers.map(({ image }) => image),
    );
    expect(images).toEqual([IMAGE, IMAGE]);
  });

  test('have a Deployment whose container clusterctl knows as the manager', () => {
    const names = ofKind('Deployment').map((one) =>
      deployment.parse(one).spec.template.spec.containers.map(({ name }) => name),
    );
    expect(names).toEqual([['manager'], ['workers']]);
  });

  test('are called as Metal3’s own, and run as the same user', () => {
    const names = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
    expect(names('ServiceAccount')).toEqual(['capm3-manager', 'capm3-workers']);
    expect(names('ClusterRole')).toEqual([
      'capm3-accounts',
      'capm3-manager-role',
      'capm3-workers-role',
      'temper-approver',
    ]);
    expect(names('Role')).toEqual(['capm3-leader-election-role']);
    expect(names('Deployment')).toEqual(['capm3-controller-manager', 'capm3-workers']);
    expect(names('Issuer')).toEqual(['capm3-selfsigned-issuer']);
    expect(names('Certificate')).toEqual(['capm3-serving-cert']);
    expect(ofKind('Certificate').map((one) => certificate.parse(one).spec)).toEqual([
      { secretName: 'capm3-webhook-service-cert', issuerRef: { kind: 'Issuer', name: 'capm3-selfsigned-issuer' } },
    ]);
    const pods = ofKind('Deployment').map((one) => deployment.parse(one).spec.template.spec);
    expect(pods.map(({ serviceAccountName }) => serviceAccountName)).toEqual(['capm3-manager', 'capm3-workers']);
    for (const pod of pods) expect(pod.securityContext).toEqual({ runAsUser: 65532 });
    const bound = ofKind('ClusterRoleBinding').map((one) => roleBinding.parse(one));
    const inHome = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'capm3-system' });
    expect(Object.fromEntries(bound.map(({ roleRef, subjects }) => [roleRef.name, subjects]))).toEqual({
      'capm3-accounts': [inHome('capm3-manager'), inHome('capm3-workers')],
      'capm3-manager-role': [inHome('capm3-manager')],
      'capm3-workers-role': [inHome('capm3-workers')],
    });
  });

  test('have their probes on port 9440, their metrics on 8443 and their webhooks on 9443', () => {
    const [manager, workers] = ofKind('Deployment').flatMap(
      (one) => deployment.parse(one).spec.template.spec.containers,
    );
    const served = [
      { name: 'healthz', containerPort: 9440 },
      { name: 'metrics', containerPort: 8443 },
    ];
    expect(manager?.ports).toEqual([{ name: 'webhook-server', containerPort: 9443 }, ...served]);
    expect(manager?.args).toEqual(['--enable-leader-election']);
    expect(workers?.ports).toEqual(served);
    for (const one of [manager, workers])
      expect(one).toMatchObject({
        livenessProbe: { httpGet: { path: '/healthz', port: 'healthz' } },
        readinessProbe: { httpGet: { path: '/readyz', port: 'healthz' } },
      });
  });

  test('may write what is Temper’s and what it makes for machines, of Cluster API the status of Machines, and of Nodes and CRDs nothing', () => {
    const kinds = ['metal3clusters', 'metal3datas', 'metal3datatemplates', 'metal3machines', 'metal3remediations'];
    expect(writtenBy(rulesOf('capm3-accounts'))).toEqual(REVIEWS);
    expect(writtenBy(rulesOf('capm3-manager-role'))).toEqual(
      [
        '/events',
        '/secrets',
        ...kinds.flatMap((kind) => [kind, `${kind}/status`]).map((kind) => `infrastructure.cluster.x-k8s.io/${kind}`),
        ...['baremetalhosts', 'dataimages', 'preprovisioningimages']
          .flatMap((kind) => [kind, `${kind}/status`])
          .map((kind) => `metal3.io/${kind}`),
        // No resource: who may write the answers of people.
        'metal3.io/baremetalhosts/approval',
      ].toSorted(),
    );
    expect(writtenBy(rulesOf('capm3-workers-role'))).toEqual([
      '/secrets',
      'cluster.x-k8s.io/machines/status',
      'infrastructure.cluster.x-k8s.io/metal3dataclaims',
      'infrastructure.cluster.x-k8s.io/metal3dataclaims/status',
      'infrastructure.cluster.x-k8s.io/metal3datas',
      'infrastructure.cluster.x-k8s.io/metal3remediations',
      'ipam.cluster.x-k8s.io/ipaddressclaims',
      'ipam.metal3.io/ipclaims',
      'metal3.io/baremetalhosts',
      'metal3.io/baremetalhosts/finalizers',
      'metal3.io/hardwaredata',
      'metal3.io/preprovisioningimages',
    ]);
  });

  test('name each resource and verb; only control planes may be of any kind', () => {
    const rules = ofKind('ClusterRole').flatMap(({ metadata }) => rulesOf(metadata.name));
    const open = rules.filter((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs].includes('*'));
    expect(open).toEqual([{ apiGroups: ['controlplane.cluster.x-k8s.io'], resources: ['*'], verbs: ['get'] }]);
  });

  test('let workers read Secrets by their name alone', () => {
    const verbs = rulesOf('capm3-workers-role')
      .filter(({ resources }) => resources.includes('secrets'))
      .flatMap((rule) => rule.verbs);
    expect(verbs).toEqual(['create', 'get', 'patch']);
  });

  test('hold every CRD that Temper has, but for those of addresses', () => {
    expect(
      ofKind('CustomResourceDefinition')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(CRDS.filter((name) => !name.endsWith('.ipam.metal3.io')));
  });

  test('send conversions and admission to their own Service, by the certificate that cert-manager makes', () => {
    const converted = ofKind('CustomResourceDefinition').filter(
      (one) => crd.parse(one).spec.conversion?.webhook !== undefined,
    );
    const registered = [...ofKind('ValidatingWebhookConfiguration'), ...ofKind('MutatingWebhookConfiguration')];
    const services = [
      ...converted.map((one) => crd.parse(one).spec.conversion?.webhook?.clientConfig.service),
      ...registered.flatMap((one) => webhooks.parse(one).webhooks.map(({ clientConfig }) => clientConfig.service)),
    ];

    expect(registered.length).toBeGreaterThan(0);
    expect(services.filter((one) => one?.namespace !== 'capm3-system' || one.name !== 'capm3-webhook-service')).toEqual(
      [],
    );
    for (const { metadata } of [...converted, ...registered])
      expect(metadata.annotations['cert-manager.io/inject-ca-from']).toBe('capm3-system/capm3-serving-cert');
  });

  test('take the variables by which Metal3’s own are configured', () => {
    const data = ofKind('ConfigMap').map((one) => configMap.parse(one).data);
    expect(data).toEqual([
      expect.objectContaining({
        CAPM3_FAST_TRACK: '${CAPM3_FAST_TRACK:=false}',
        ENABLE_BMH_NAME_BASED_PREALLOCATION: '${ENABLE_BMH_NAME_BASED_PREALLOCATION:=false}',
        METRICS_ADDR: '${CAPM3_DIAGNOSTICS_ADDRESS:=:8443}',
        METRICS_INSECURE: '${CAPM3_INSECURE_DIAGNOSTICS:=false}',
      }),
    ]);
  });

  test('take the form of providerIDs and whose objects are looked after, as settings that exist', () => {
    const data = ofKind('ConfigMap').flatMap((one) => Object.entries(configMap.parse(one).data));
    expect(Object.fromEntries(data)).toMatchObject({
      PROVIDER_ID_FORMAT: '${TEMPER_PROVIDER_ID_FORMAT:=names}',
      WATCH_FILTER: '${TEMPER_WATCH_FILTER:=""}',
    });
    // A value that looks like another type is still a text.
    const filled = text.replaceAll(/\$\{TEMPER_WATCH_FILTER:=[^}]*\}/g, 'true');
    const texts = parseAllDocuments(filled).map((document) => object.parse(document.toJS()));
    expect(texts.filter(({ kind }) => kind === 'ConfigMap').map((one) => configMap.parse(one).data)).toMatchObject([
      { WATCH_FILTER: 'true' },
    ]);
    const settings = new Set([...Object.keys(bridgeConfig.shape), ...Object.keys(workersConfig.shape)]);
    expect(data.filter(([name]) => !settings.has(name))).toEqual([]);
    const env = Object.fromEntries(
      data.map(([name, value]) => [name, value.replace(/\$\{\w+:=(.*)\}/, '$1').replaceAll('"', '')]),
    );
    expect(readConfig(bridgeConfig, env)).toMatchObject({ PROVIDER_ID_FORMAT: 'names', WATCH_FILTER: '' });
    expect(readConfig(workersConfig, env)).toMatchObject({ METRICS_ADDR: { port: 8443 }, METRICS_INSECURE: false });
  });

  test('let clusterctl move hosts with the Secrets they own', () => {
    const host = ofKind('CustomResourceDefinition').find(
      ({ metadata }) => metadata.name === 'baremetalhosts.metal3.io',
    );
    expect(host?.metadata.labels).toMatchObject({
      'clusterctl.cluster.x-k8s.io': '',
      'clusterctl.cluster.x-k8s.io/move-hierarchy': '',
    });
  });
});

describe('the components of the IPAM provider', async () => {
  const own = parseAllDocuments(await components(kubectl, IPAM, IMAGE)).map((document) =>
    object.parse(document.toJS()),
  );
  const kindsOf = (kind: string) => own.filter((one) => one.kind === kind);

  test('are labelled as the provider’s, and live in its namespace', () => {
    expect(own.filter(({ metadata }) => metadata.labels['cluster.x-k8s.io/provider'] !== 'ipam-metal3')).toEqual([]);
    expect(kindsOf('Namespace').map(({ metadata }) => metadata.name)).toEqual(['metal3-ipam-system']);
    expect(new Set(own.map(({ metadata }) => metadata.namespace))).toEqual(new Set([undefined, 'metal3-ipam-system']));
  });

  test('have the prefix and the ports of ip-address-manager', () => {
    const named = own.filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition');
    expect(
      named.filter(({ metadata }) => !metadata.name.startsWith('ipam-')).map(({ metadata }) => metadata.name),
    ).toEqual([]);
    const ports = kindsOf('Deployment').flatMap((one) =>
      deployment.parse(one).spec.template.spec.containers.flatMap((each) => each.ports),
    );
    expect(ports).toEqual([
      { name: 'webhook-server', containerPort: 9443 },
      { name: 'healthz', containerPort: 9440 },
      { name: 'metrics', containerPort: 8443 },
      { name: 'healthz', containerPort: 9440 },
      { name: 'metrics', containerPort: 8443 },
    ]);
  });

  test('hold the CRDs and webhooks of addresses, which the other provider does not have', () => {
    expect(kindsOf('CustomResourceDefinition').map(({ metadata }) => metadata.name)).toEqual(
      CRDS.filter((name) => name.endsWith('.ipam.metal3.io')),
    );
    const pathsIn = (objects: readonly unknown[]): readonly string[] =>
      objects.flatMap((one) => webhooks.parse(one).webhooks.map(({ clientConfig }) => clientConfig.service.path));
    const registered = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
    expect(pathsIn(registered.flatMap(kindsOf)).toSorted()).toEqual(
      ['mutate-ippool', 'validate-ipaddress', 'validate-ipclaim', 'validate-ippool'].map(
        (path) => `/${path.replace('-', '-ipam-metal3-io-v1alpha1-')}`,
      ),
    );
    expect(pathsIn(registered.flatMap(ofKind)).filter((path) => path.includes('-ipam-'))).toEqual([]);
  });

  test('care for addresses alone, and the others for all else', () => {
    const settings = (objects: readonly unknown[]) => objects.map((one) => configMap.parse(one).data['CONTROLLERS']);
    expect(settings(kindsOf('ConfigMap'))).toEqual(['addresses']);
    expect(settings(ofKind('ConfigMap'))).toEqual(['hosts,machines']);
  });

  test('take the variables by which ip-address-manager is configured', () => {
    expect(kindsOf('ConfigMap').map((one) => configMap.parse(one).data)).toEqual([
      expect.objectContaining({
        METRICS_ADDR: '${IPAM_DIAGNOSTICS_ADDRESS:=:8443}',
        METRICS_INSECURE: '${IPAM_INSECURE_DIAGNOSTICS:=false}',
      }),
    ]);
  });

  test('may write what belongs to addresses and nothing else', () => {
    const claims = ['ipaddressclaims', 'ipaddressclaims/status', 'ipaddresses'];
    const pools = ['ipaddresses', 'ipclaims', 'ipclaims/status', 'ippools', 'ippools/status'];
    expect(writtenBy(kindsOf('ClusterRole').flatMap((one) => clusterRole.parse(one).rules))).toEqual([
      '/events',
      ...REVIEWS,
      ...claims.map((resource) => `ipam.cluster.x-k8s.io/${resource}`),
      ...pools.map((resource) => `ipam.metal3.io/${resource}`),
    ]);
  });

  test('send webhooks to their own Service, with a certificate for its name', () => {
    const names = kindsOf('Service').map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc`);
    const dnsNames = z.object({ spec: z.object({ dnsNames: z.array(z.string()), secretName: z.string() }) });
    const [made] = kindsOf('Certificate').map((one) => dnsNames.parse(one).spec);
    expect(made?.dnsNames[0]).toBe(names[0]);
    const used = kindsOf('ValidatingWebhookConfiguration').flatMap((one) => webhooks.parse(one).webhooks);
    for (const { clientConfig } of used)
      expect(`${clientConfig.service.name}.${clientConfig.service.namespace}.svc`).toBe(names[0]);
    const pods = z.object({
      spec: z.object({ template: z.object({ spec: z.object({ volumes: z.array(z.looseObject({})) }) }) }),
    });
    const volumes = kindsOf('Deployment').flatMap((one) => pods.parse(one).spec.template.spec.volumes);
    expect(volumes).toContainEqual({ name: 'cert', secret: { secretName: made?.secretName } });
    expect(JSON.stringify(volumes)).not.toContain('ironic');
  });
});
