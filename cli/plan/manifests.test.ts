import { expect, test } from 'vitest';
import { type Kube, KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import type { PlannedManifest } from './applied.ts';
import { plansOf } from './manifests.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const IMAGE = { url: 'http://images/a.raw', checksum: 'abc' };
const manifest = (apiVersion: string, kind: string, name: string, spec: object = {}): PlannedManifest => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});
const machine = manifest('cluster.x-k8s.io/v1beta2', 'Machine', 'worker', {
  infrastructureRef: { kind: 'Metal3Machine', name: 'worker-1' },
});
const metal3Machine = manifest(KINDS.metal3Machine.apiVersion, 'Metal3Machine', 'worker-1', { image: IMAGE });

/** What is planned, and what is not; the Metal3Machine exists when it is given. */
async function planned(manifests: readonly PlannedManifest[], ...existing: readonly PlannedManifest[]) {
  const { kube } = objectsInMemory();
  for (const { metadata, ...body } of existing) {
    const path = collectionPath(KINDS.metal3Machine, 'metal');
    await kube.request({ method: 'POST', path, body: { ...body, metadata: { ...metadata, namespace: 'metal' } } });
  }
  const { plans, others } = await plansOf(manifests, { namespace: 'metal', deleting: true }, kube, NOW);
  const said = plans.map((plan) => ('machine' in plan ? [plan.kind, plan.machine, plan.says, ...plan.problems] : plan));
  return { said, others };
}
const FREE = ['Metal3Machine', 'metal/worker-1', 'has no host: nothing is done to any'];

test('a Machine of Cluster API is planned by its Metal3Machine', async () => {
  expect(await planned([machine], metal3Machine)).toEqual({ said: [FREE], others: [] });
});

test('and once, when the Metal3Machine is in the manifest too', async () => {
  expect(await planned([machine, metal3Machine])).toEqual({ said: [FREE], others: [] });
});

test('one whose Metal3Machine is nowhere says so', async () => {
  const problem = 'it does not exist, or cannot be read';
  expect(await planned([machine])).toEqual({ said: [['Metal3Machine', 'metal/worker-1', '', problem]], others: [] });
});

test.each(['machine.openshift.io/v1beta1', 'cluster.k8s.io/v1alpha1'])(
  'a Machine of %s is planned by itself',
  async (api) => {
    const spec = { providerSpec: { value: { image: IMAGE } } };
    const { said, others } = await planned([manifest(api, 'Machine', 'worker', spec)]);
    expect(said).toEqual([[`Machine.${api.split('/')[0]}`, 'metal/worker', 'has no host: nothing is done to any']]);
    expect(others).toEqual([]);
  },
);

test('other kinds are named, but for Secrets', async () => {
  const others = [manifest('v1', 'Secret', 'bmc'), manifest('v1', 'ConfigMap', 'settings')];
  expect(await planned(others)).toEqual({ said: [], others: ['ConfigMap settings'] });
});

test('a host whose network Secret is neither in the cluster nor in the manifest ends at its registration', async () => {
  const bmc = { address: 'redfish-virtualmedia://192.0.2.70/redfish/v1/Systems/1', credentialsName: 'u20-bmc' };
  const host = manifest('metal3.io/v1alpha1', 'BareMetalHost', 'u20', {
    online: true,
    bootMACAddress: '52:54:00:0a:20:01',
    bmc,
    preprovisioningNetworkDataName: 'u20-absent',
  });
  const { kube } = objectsInMemory();
  const planOf = async (...secrets: readonly string[]) => {
    const manifests = [...secrets.map((name) => manifest('v1', 'Secret', name)), host];
    const { plans } = await plansOf(manifests, { namespace: 'metal', deleting: false }, kube, NOW);
    const [plan] = plans;
    return plan !== undefined && 'plan' in plan ? plan.plan : undefined;
  };
  expect(await planOf('u20-bmc')).toMatchObject({
    steps: [{ does: 'register with Ironic, and verify the BMC' }],
    end: { kind: 'waits', reason: expect.stringContaining('Secret metal/u20-absent') as string },
  });
  expect((await planOf('u20-bmc', 'u20-absent'))?.steps.length).toBeGreaterThan(1);
});

test('what may not be read is told with the plans', async () => {
  const { kube } = objectsInMemory();
  const forbidden = new KubeError('GET', 403, { reason: 'Forbidden', message: 'it is forbidden' });
  const refusing: Kube = { ...kube, request: () => Promise.reject(forbidden) };
  const { unread } = await plansOf([metal3Machine], { namespace: 'metal', deleting: false }, refusing, NOW);
  expect(unread).toEqual(['BareMetalHosts of namespace metal: it is forbidden']);
});
