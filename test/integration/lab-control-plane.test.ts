import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { describe, expect, inject, test } from 'vitest';

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
});

async function secretNames(): Promise<unknown[]> {
  const { items } = await core.listNamespacedSecret({ namespace: 'default' });
  return items.map((item) => item.metadata?.name);
}

async function namespaceNames(): Promise<unknown[]> {
  const { items } = await core.listNamespace();
  return items.map((item) => item.metadata?.name);
}
