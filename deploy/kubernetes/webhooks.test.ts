import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { OWN_SECRET } from '../../k8s-bridge/webhooks/keep-own-certificate.ts';
import { admittedKinds, webhookPath } from '../../k8s-bridge/webhooks/kinds.ts';
import { bridgeConfig, readConfig } from '../../platform/config.ts';

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
      rules: z.tuple([z.object({ operations: z.array(z.string()), resources: z.tuple([z.string()]) })]),
      sideEffects: z.literal('None'),
    }),
  ),
});

const ofKind = (file: string, kind: string) => read(file).find((one) => one.kind === kind);
const ours = configuration.parse(ofKind('webhooks.yaml', 'ValidatingWebhookConfiguration'));
const config = readConfig(bridgeConfig, {});

describe('the manifests of the webhooks', () => {
  test('name all that the bridge serves and nothing else, where it serves it', () => {
    expect(ours.webhooks.map(({ name, clientConfig }) => [name, clientConfig.service.path])).toEqual(
      admittedKinds({ fakeHardware: false }).map(({ kind }) => [`${kind.toLowerCase()}.metal3.io`, webhookPath(kind)]),
    );
    expect(ours.webhooks.map(({ rules: [{ operations, resources }] }) => [operations, resources])).toEqual([
      [['CREATE', 'UPDATE'], ['baremetalhosts']],
      [['CREATE', 'UPDATE'], ['dataimages']],
    ]);
  });

  test('agree with each other and with the defaults of the bridge', () => {
    const service = z
      .object({
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.object({ ports: z.array(z.object({ port: z.number(), targetPort: z.number() })) }),
      })
      .parse(ofKind('webhooks.yaml', 'Service'));
    expect(service.spec.ports).toEqual([{ port: 443, targetPort: config.WEBHOOK_PORT }]);
    for (const { clientConfig } of ours.webhooks) expect(clientConfig.service).toMatchObject(service.metadata);
    expect(ours.metadata.name).toBe(config.WEBHOOK_CONFIGURATION);
    const annotated = ofKind('webhooks-cert-manager.yaml', 'ValidatingWebhookConfiguration')?.metadata;
    const certificate = z
      .object({
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.object({ dnsNames: z.array(z.string()), secretName: z.string() }),
      })
      .parse(ofKind('webhooks-cert-manager.yaml', 'Certificate'));
    expect(annotated).toEqual({
      name: ours.metadata.name,
      annotations: {
        'cert-manager.io/inject-ca-from': `${certificate.metadata.namespace}/${certificate.metadata.name}`,
      },
    });
    expect(certificate.spec.dnsNames).toContain(`${service.metadata.name}.${service.metadata.namespace}.svc`);
    expect(certificate.spec.secretName).toBe(OWN_SECRET);
  });
});
