import { dirname } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { describe, expect, inject, test } from 'vitest';
import { messageOf } from '../../domain/message-of.ts';
import { connectKube } from '../../kube/client.ts';
import { secretCollection, secretPath } from '../../kube/paths.ts';
import { type AuditedRequest, auditedRequests, auditLogOf } from '../../lab/control-plane/audit.ts';
import { accountsOf } from './accounts.ts';

const config = new KubeConfig();
config.loadFromFile(inject('kubeconfig'));
const core = config.makeApiClient(CoreV1Api);

describe("the lab's control plane", () => {
  test('collects an object whose owner is gone', async () => {
    const owner = await core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { generateName: 'owner-' } },
    });
    const { name = '', uid = '' } = owner.metadata ?? {};
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    const owned = await core.createNamespacedSecret({
      namespace: 'default',
      body: { metadata: { generateName: 'owned-', ownerReferences } },
    });

    await core.deleteNamespacedConfigMap({ namespace: 'default', name });

    await expect.poll(secretNames, { timeout: 60_000 }).not.toContain(owned.metadata?.name);
  });

  test('lets a namespace go, with what is in it', async () => {
    const created = await core.createNamespace({ body: { metadata: { generateName: 'going-' } } });
    const name = created.metadata?.name ?? '';
    await core.createNamespacedSecret({ namespace: name, body: { metadata: { name: 'inside' } } });

    await core.deleteNamespace({ name });

    await expect.poll(namespaceNames, { timeout: 60_000 }).not.toContain(name);
  });

  test('gives each namespace a ServiceAccount `default`, which exists again after it was deleted', async () => {
    const { metadata } = await core.createNamespace({ body: { metadata: { generateName: 'served-' } } });
    const namespace = metadata?.name ?? '';
    const accounts = async (): Promise<unknown[]> =>
      (await core.listNamespacedServiceAccount({ namespace })).items.map((item) => item.metadata?.name);
    await expect.poll(accounts, { timeout: 60_000 }).toEqual(['default']);
    await core.deleteNamespacedServiceAccount({ namespace, name: 'default' });
    await expect.poll(accounts, { timeout: 60_000 }).toEqual(['default']);
  });

  test('logs what the accounts in our namespaces do and may not do, and nobody else', async () => {
    const admin = connectKube(inject('kubeconfig'));
    const accounts = accountsOf(admin, inject('kubeconfig'));
    await accounts.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'temper-system' },
    });
    const account = connectKube(await accounts.kubeconfigOf(await accounts.tokenOf('temper-system', 'audited')));
    await accounts.bind('temper-system', 'audited', 'reads-secrets', {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['list'],
    });
    const read = () => account.request({ path: secretCollection('default') }).then(() => 'allowed', messageOf);
    await expect.poll(read, { timeout: 60_000 }).toBe('allowed');
    const name = { namespace: 'default', name: 'bmc' };
    expect(await account.find(secretPath(name)).catch(messageOf)).toContain('forbidden');
    expect(await admin.find(secretPath(name))).toBeUndefined();
    await Promise.all([account.close(), admin.close()]);

    const seen: AuditedRequest[] = [];
    for await (const request of auditedRequests(auditLogOf(dirname(inject('kubeconfig'))))) seen.push(request);
    expect(seen.map(({ user }) => user).filter((user) => !AUDITED.some((ours) => user.startsWith(ours)))).toEqual([]);
    const audited = seen.filter(({ user }) => user === `${OURS}:audited`);
    expect(audited.slice(-2)).toMatchObject([
      { verb: 'list', resource: 'secrets', namespace: 'default', code: 200, isForbidden: false },
      { verb: 'get', resource: 'secrets', namespace: 'default', name: 'bmc', code: 403, isForbidden: true },
    ]);
  });
});

const OURS = 'system:serviceaccount:temper-system';
/** Other files use the accounts that clusterctl installs. */
const AUDITED = [`${OURS}:`, 'system:serviceaccount:capm3-system:'];

async function secretNames(): Promise<unknown[]> {
  const { items } = await core.listNamespacedSecret({ namespace: 'default' });
  return items.map((item) => item.metadata?.name);
}

async function namespaceNames(): Promise<unknown[]> {
  const { items } = await core.listNamespace();
  return items.map((item) => item.metadata?.name);
}
