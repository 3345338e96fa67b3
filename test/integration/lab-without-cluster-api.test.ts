import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectKubeconfig, type Kube } from '../../kube/client.ts';
import { definitionPath } from '../../kube/paths.ts';
import { leaveClusterApi } from '../../lab/cluster-api/leave.ts';

/** A kind of Cluster API's core provider, whose manager does not run: nothing listens on this port. */
const GROUP = 'left.example.com';
const labels = { 'cluster.x-k8s.io/provider': 'cluster-api' };
const clientConfig = { url: 'https://127.0.0.1:1/convert' };
const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v2',
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});
const ADMISSION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

let kube: Kube;
beforeAll(async () => {
  kube = connectKubeconfig(await readFile(inject('kubeconfig'), 'utf8'));
  await post(definitionPath('').replace(/\/$/, ''), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `clusters.${GROUP}`, labels },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'clusters', kind: 'LeftCluster' },
      versions: ['v1', 'v2'].map(version),
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  });
});
afterAll(async () => {
  await kube.request({ method: 'DELETE', path: definitionPath(`clusters.${GROUP}`) });
  await kube.close();
});

const post = (path: string, body: object): Promise<unknown> => kube.request({ method: 'POST', path, body });
const create = (): Promise<string> => {
  const body = { apiVersion: `${GROUP}/v2`, kind: 'LeftCluster', metadata: { name: 'a' } };
  return post(clusters('v2'), body).then(() => 'created', String);
};
const clusters = (of: string): string => `/apis/${GROUP}/${of}/namespaces/default/clusters`;
const answer = (of: string): Promise<string> => kube.request({ path: clusters(of) }).then(() => 'listed', String);

const change = (): Promise<string> =>
  kube.patch(`${clusters('v2')}/a`, { spec: { at: `${Date.now()}` } }).then(() => 'changed', String);

async function admission(): Promise<void> {
  const rules = [{ apiGroups: [GROUP], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
  const webhook = {
    name: 'left.example.com',
    clientConfig,
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const metadata = { name: 'left', labels };
  await post(ADMISSION, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata,
    webhooks: [webhook],
  });
}

test('a lab without Cluster API calls none of its webhooks, so that its kinds are read and written without errors', async () => {
  await expect.poll(create).toBe('created');
  await expect.poll(() => answer('v1')).toContain('conversion webhook');
  await admission();
  await expect.poll(change).toContain('failed calling webhook');

  await leaveClusterApi(inject('kubeconfig'));

  await expect.poll(() => answer('v1')).toBe('listed');
  await expect.poll(change).toBe('changed');
  expect(await answer('v2')).toBe('listed');
});
