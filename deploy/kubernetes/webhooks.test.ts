import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { customResources } from '../../api/crds.ts';
import { OWN_SECRET } from '../../k8s-bridge/webhooks/keep-own-certificate.ts';
import { admittedKinds, defaultedKinds } from '../../k8s-bridge/webhooks/kinds.ts';
import { CONVERT_PATH } from '../../k8s-bridge/webhooks/serving/limits.ts';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { rendered } from '../../test/builders/rendered.ts';
import { toDefinition } from '../crds/definition.ts';

const manifest = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const read = (file: string) =>
  parseAllDocuments(readFileSync(new URL(file, import.meta.url), 'utf8')).map((document) =>
    manifest.parse(document.toJS()),
  );
const configuration = z.object({
  metadata: z.object({ name: z.string() }),
  webhooks: z.array(
    z.object({
      name: z.string(),
      admissionReviewVersions: z.tuple([z.literal('v1')]),
      clientConfig: z.object({ service: z.object({ name: z.string(), namespace: z.string(), path: z.string() }) }),
      failurePolicy: z.literal('Fail'),
      matchConditions: z.array(z.object({ expression: z.string() })).default([]),
      matchPolicy: z.literal('Equivalent').optional(),
      rules: z.tuple([
        z.object({
          apiGroups: z.tuple([z.string()]),
          apiVersions: z.tuple([z.string()]),
          operations: z.array(z.string()),
          resources: z.tuple([z.string()]),
        }),
      ]),
      sideEffects: z.literal('None'),
    }),
  ),
});

const ofKind = (file: string, kind: string) => read(file).find((one) => one.kind === kind);
const validating = configuration.parse(ofKind('base/webhooks.yaml', 'ValidatingWebhookConfiguration'));
const mutating = configuration.parse(ofKind('base/webhooks.yaml', 'MutatingWebhookConfiguration'));
const definitions = customResources.map(toDefinition);
const converted = definitions.filter(({ spec }) => spec.conversion !== undefined);
const pluralOf = (kind: string): unknown =>
  definitions.find(({ spec }) => spec.names['kind'] === kind)?.spec.names['plural'];
const config = readConfig(bridgeConfig, {});
const installed = (await rendered('kubernetes/overlays/cert-manager')).map((one) => manifest.parse(one));

describe('the manifests of the webhooks', () => {
  test('name all that the bridge serves and nothing else, where it serves it', () => {
    const registered = ({ webhooks }: typeof validating): unknown =>
      webhooks.map(({ name, clientConfig, rules: [{ operations, resources }] }) => [
        name,
        clientConfig.service.path,
        operations,
        resources,
      ]);
    const served = (kinds: readonly { kind: string; webhook: string; path: string }[]): unknown =>
      kinds.map(({ kind, webhook, path }) => [webhook, path, ['CREATE', 'UPDATE'], [pluralOf(kind)]]);
    expect(registered(validating)).toEqual(served(admittedKinds({ fakeHardware: false })));
    expect(registered(mutating)).toEqual(served(defaultedKinds));
  });

  test('name no account, so that they leave out the writes of bridge and workers under any names', () => {
    const conditions = [...validating.webhooks, ...mutating.webhooks].flatMap(({ matchConditions }) => matchConditions);
    expect(conditions).toHaveLength(1);
    for (const { expression } of conditions) expect(expression).not.toMatch(/serviceaccount|userInfo/);
  });

  test('register each kind in the version in which it is judged', () => {
    const others = [...validating.webhooks, ...mutating.webhooks].filter(({ clientConfig, rules: [rule] }) => {
      const [group, version] = [rule.apiGroups[0], rule.apiVersions[0]];
      return !clientConfig.service.path.includes(`-${group.replaceAll('.', '-')}-${version}-`);
    });
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  test('let the API server convert objects that are written in another version, as upstream’s webhooks do', () => {
    const groups = ['infrastructure.cluster.x-k8s.io', 'ipam.metal3.io'];
    for (const { webhooks } of [validating, mutating]) {
      const ours = webhooks.filter(({ rules: [{ apiGroups }] }) => groups.includes(apiGroups[0]));
      expect(new Set(ours.map(({ rules: [{ apiGroups }] }) => apiGroups[0]))).toEqual(new Set(groups));
      expect(ours.filter(({ matchPolicy }) => matchPolicy !== 'Equivalent').map(({ name }) => name)).toEqual([]);
    }
  });

  test('let the bridge write whom to trust into all that names it', () => {
    const role = z
      .object({ rules: z.array(z.object({ resources: z.array(z.string()), resourceNames: z.array(z.string()) })) })
      .parse(ofKind('components/self-managed/roles.yaml', 'ClusterRole'));
    expect(role.rules.map(({ resources, resourceNames }) => [...resources, ...resourceNames])).toEqual([
      ['validatingwebhookconfigurations', config.WEBHOOK_CONFIGURATION],
      ['mutatingwebhookconfigurations', config.WEBHOOK_MUTATING_CONFIGURATION],
      ['customresourcedefinitions', ...converted.map(({ metadata }) => metadata.name)],
    ]);
  });

  test('agree with each other and with the defaults of the bridge', () => {
    const service = z
      .object({
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.object({ ports: z.array(z.object({ port: z.number(), targetPort: z.number() })) }),
      })
      .parse(ofKind('base/webhooks.yaml', 'Service'));
    expect(service.spec.ports).toEqual([{ port: 443, targetPort: config.WEBHOOK_PORT }]);
    for (const { clientConfig } of [...validating.webhooks, ...mutating.webhooks])
      expect(clientConfig.service).toMatchObject(service.metadata);
    for (const { spec } of converted)
      expect(spec.conversion).toMatchObject({
        webhook: { clientConfig: { service: { ...service.metadata, path: CONVERT_PATH } } },
      });
    expect(validating.metadata.name).toBe(config.WEBHOOK_CONFIGURATION);
    expect(mutating.metadata.name).toBe(config.WEBHOOK_MUTATING_CONFIGURATION);
    const certificate = z
      .object({
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.object({ dnsNames: z.array(z.string()), secretName: z.string() }),
      })
      .parse(ofKind('components/cert-manager/certificate.yaml', 'Certificate'));
    const annotations = {
      'cert-manager.io/inject-ca-from': `${certificate.metadata.namespace}/${certificate.metadata.name}`,
    };
    for (const [kind, { name }] of [
      ['ValidatingWebhookConfiguration', validating.metadata],
      ['MutatingWebhookConfiguration', mutating.metadata],
    ] as const)
      expect(installed.find((one) => one.kind === kind)?.metadata).toMatchObject({ name, annotations });
    for (const { metadata } of converted) expect(metadata.annotations).toMatchObject(annotations);
    expect(certificate.spec.dnsNames).toContain(`${service.metadata.name}.${service.metadata.namespace}.svc`);
    expect(certificate.spec.secretName).toBe(OWN_SECRET);
  });
});
