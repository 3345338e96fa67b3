import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { customResources } from '../../api/crds.ts';
import { bridgeConfig, readConfig, workersConfig } from '../../platform/config/config.ts';
import { components } from './components.ts';

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
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});
const certificate = z.object({
  spec: z.object({ secretName: z.string(), issuerRef: z.object({ kind: z.string(), name: z.string() }) }),
});

const objects = parseAllDocuments(components()).map((document) => object.parse(document.toJS()));
const ofKind = (kind: string) => objects.filter((one) => one.kind === kind);

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
    const made = parseAllDocuments(components('registry.example.com/temper:1')).map((one) => object.parse(one.toJS()));
    const images = made
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((one) => deployment.parse(one).spec.template.spec.containers.map(({ image }) => image));
    expect(images).toEqual(['registry.example.com/temper:1', 'registry.example.com/temper:1']);
  });

  test('have a Deployment whose container clusterctl knows as the manager', () => {
    const names = ofKind('Deployment').map((one) =>
      deployment.parse(one).spec.template.spec.containers.map(({ name }) => name),
    );
    expect(names).toEqual([['manager'], ['workers']]);
  });

  test('are called as Metal3’s own, and run as the same user', () => {
    const names = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
    expect(names('ServiceAccount')).toEqual(['capm3-manager']);
    expect(names('ClusterRole')).toEqual(['capm3-manager-role']);
    expect(names('Role')).toEqual(['capm3-leader-election-role']);
    expect(names('Deployment')).toEqual(['capm3-controller-manager', 'capm3-workers']);
    expect(names('Issuer')).toEqual(['capm3-selfsigned-issuer']);
    expect(names('Certificate')).toEqual(['capm3-serving-cert']);
    expect(ofKind('Certificate').map((one) => certificate.parse(one).spec)).toEqual([
      { secretName: 'capm3-webhook-service-cert', issuerRef: { kind: 'Issuer', name: 'capm3-selfsigned-issuer' } },
    ]);
    for (const one of ofKind('Deployment'))
      expect(deployment.parse(one).spec.template.spec).toMatchObject({
        serviceAccountName: 'capm3-manager',
        securityContext: { runAsUser: 65532 },
      });
  });

  test('are probed on 9440, serve metrics on 8443 and webhooks on 9443', () => {
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

  test('may write what is Temper’s and what it makes for machines, and of Cluster API, Nodes and CRDs nothing', () => {
    const WRITING = ['create', 'delete', 'patch', 'update', '*'];
    const rules = ofKind('ClusterRole').flatMap((one) => clusterRole.parse(one).rules);
    const resources = (of: typeof rules) =>
      of.flatMap(({ apiGroups, resources }) => apiGroups.flatMap((group) => resources.map((one) => `${group}/${one}`)));
    expect(resources(rules.filter(({ verbs }) => verbs.some((verb) => WRITING.includes(verb)))).toSorted()).toEqual([
      '/configmaps',
      '/events',
      '/secrets',
      'authentication.k8s.io/tokenreviews',
      'authorization.k8s.io/subjectaccessreviews',
      'infrastructure.cluster.x-k8s.io/*',
      'ipam.cluster.x-k8s.io/ipaddressclaims',
      'ipam.metal3.io/ipclaims',
      'ipam.metal3.io/ipclaims/status',
      'metal3.io/baremetalhosts',
      'metal3.io/baremetalhosts/finalizers',
      'metal3.io/baremetalhosts/status',
      'metal3.io/dataimages',
      'metal3.io/dataimages/status',
      'metal3.io/hardwaredata',
      'metal3.io/preprovisioningimages',
      'metal3.io/preprovisioningimages/status',
    ]);
    expect(resources(rules)).toEqual(
      expect.arrayContaining([
        'cluster.x-k8s.io/clusters',
        'cluster.x-k8s.io/machines',
        'cluster.x-k8s.io/machinesets',
        'controlplane.cluster.x-k8s.io/*',
        'ipam.metal3.io/ippools',
        'ipam.metal3.io/ipaddresses',
        'ipam.cluster.x-k8s.io/ipaddresses',
      ]),
    );
  });

  test('hold every CRD that Temper has', () => {
    expect(
      ofKind('CustomResourceDefinition')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(customResources.map(({ group, plural }) => `${plural}.${group}`).toSorted());
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
    const filled = components().replaceAll(/\$\{TEMPER_WATCH_FILTER:=[^}]*\}/g, 'true');
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
