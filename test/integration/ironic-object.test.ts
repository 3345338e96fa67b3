import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { findIronic } from '../../activities/ironic/client/ironic-object.ts';
import { connectKube, isAlreadyExists } from '../../kube/client.ts';
import { ironicPath, secretPath } from '../../kube/paths.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { PATIENCE } from './bridge/harness.ts';

const kube = connectKube(inject('kubeconfig'));
afterAll(() => kube.close());

/** The fields of ironic-standalone-operator's kind that we read. */
const IRONIC = { apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', plural: 'ironics' };

const post = (path: string, body: object): Promise<unknown> =>
  kube.request({ method: 'POST', path, body }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });

let namespace: string;
beforeAll(() => serveKinds(kube, [IRONIC]));
beforeEach(async () => {
  namespace = `ironic-${randomBytes(4).toString('hex')}`;
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

const READY = { type: 'Ready', status: 'True', observedGeneration: 1, message: '' };

async function anIronic(spec: object, ready: object = READY): Promise<void> {
  const path = ironicPath({ namespace, name: '' }).replace(/\/$/, '');
  const body = { apiVersion: 'ironic.metal3.io/v1alpha1', kind: 'Ironic', metadata: { name: 'ironic' }, spec };
  await vi.waitFor(() => kube.request({ method: 'POST', path, body }), PATIENCE);
  await kube.patch(`${ironicPath({ namespace, name: 'ironic' })}/status`, { status: { conditions: [ready] } });
}
const aSecret = (name: string, stringData: Record<string, string>): Promise<unknown> =>
  post(`/api/v1/namespaces/${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });
const find = () => findIronic(kube, { namespace, name: 'ironic' });

describe('an Ironic object', () => {
  test('tells where Ironic is and how to be let in; its Secret is labelled as one we read', async () => {
    await aSecret('api', { username: 'temper', password: 'word' });
    await anIronic({ apiCredentialsName: 'api' });
    expect(await find()).toEqual({
      endpoint: `http://ironic.${namespace}.svc/v1`,
      login: { username: 'temper', password: 'word' },
    });
    const { metadata } = z
      .object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) })
      .parse(await kube.find(secretPath({ namespace, name: 'api' })));
    expect(metadata.labels).toEqual({ 'environment.metal3.io': 'baremetal' });
  });

  test('with a certificate is reached by HTTPS and trusted by it', async () => {
    await aSecret('api', { username: 'temper', password: 'word' });
    await aSecret('tls', { 'tls.crt': 'PEM' });
    await anIronic({ apiCredentialsName: 'api', tls: { certificateName: 'tls' } });
    expect(await find()).toMatchObject({ endpoint: `https://ironic.${namespace}.svc/v1`, ca: 'PEM' });
  });

  test.each([
    ['is not ready', { ...READY, status: 'False', message: 'no database' }, 'is not ready: no database'],
    ['was changed since', { ...READY, observedGeneration: 0 }, 'is not ready: its operator has not reconciled it yet'],
    ['lacks its Secret', READY, 'Secret NAMESPACE/api of Ironic NAMESPACE/ironic does not exist'],
  ])('that %s is of no use, and says so', async (_, ready, message) => {
    await anIronic({ apiCredentialsName: 'api' }, ready);
    await expect(find()).rejects.toThrow(message.replaceAll('NAMESPACE', namespace));
  });

  test('that lacks a password, or does not exist, is of no use, and says so', async () => {
    await expect(find()).rejects.toThrow(`Ironic ${namespace}/ironic does not exist`);
    await aSecret('api', { username: 'temper' });
    await anIronic({ apiCredentialsName: 'api' });
    await expect(find()).rejects.toThrow(
      `Secret ${namespace}/api of Ironic ${namespace}/ironic must hold a username and a password`,
    );
  });
});
