import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { customResources } from '../../api/crds.ts';
import { bridgeConfig, readConfig, workersConfig } from '../../platform/config.ts';
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
const deployment = z.object({
  spec: z.object({
    template: z.object({ spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string() })) }) }),
  }),
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

  test('have a Deployment whose container clusterctl knows as the manager', () => {
    const names = ofKind('Deployment').map((one) =>
      deployment.parse(one).spec.template.spec.containers.map(({ name }) => name),
    );
    expect(names).toEqual([['manager'], ['workers']]);
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
