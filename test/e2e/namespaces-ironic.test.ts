import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  getHost,
  hostIn,
  hostManifest,
  hostThat,
  NAMESPACE,
} from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import { aCluster, aMachine, on } from './support/machines.ts';
import { nodesOf } from './support/metal.ts';
import { deletedWithAll } from './support/namespace-deletion.ts';
import { joinLab } from './support/place/join.ts';
import { recorded } from './support/recorded.ts';

/**
 * The namespace of this file is deleted while Ironic has a server in each of these states. The Secrets with the
 * passwords of the BMCs are deleted with it.
 */
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 11 });
  await serveClusterApi(lab.kube);
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('bridge');
  await aCluster(lab, 'cluster');
});
afterAll(() => lab?.stop());

const image = () => lab.endpoints.testImage;
const NOWHERE = { url: 'http://127.0.0.1:1/none-1MiB.raw', checksum: '0'.repeat(64), checksumType: 'sha256' } as const;

async function aHost(index: number, state: string, spec: Parameters<typeof createHost>[2] = {}): Promise<string> {
  const name = await createHost(lab, index, spec);
  await hostIn(lab, name, state);
  return name;
}

async function failing(index: number, errorType: string): Promise<void> {
  await hostThat(lab, `host-${index}`, errorType, ({ status }) => status.errorType === errorType);
}

async function refused(index: number): Promise<void> {
  const manifest = hostManifest(lab, index);
  await apply(lab, bmcSecret(lab, manifest.metadata.name, { password: 'wrong' }), manifest);
  await failing(index, 'registration error');
}

async function detached(index: number): Promise<void> {
  const name = await aHost(index, 'available');
  const annotations = { 'baremetalhost.metal3.io/detached': '' };
  await lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), { metadata: { annotations } });
  await hostThat(lab, name, 'detached', ({ status }) => status.operationalStatus === 'detached');
}

async function claimed(index: number): Promise<void> {
  const name = await aHost(index, 'available');
  await lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), { metadata: { labels: { for: name } } });
  await aMachine(lab, 'cluster', name, { spec: { ...on(name), image: image() } });
  await hostIn(lab, name, 'provisioned');
}

/** The UUIDs of the nodes of these hosts. */
const nodesOfHosts = (...indexes: readonly number[]): Promise<readonly string[]> =>
  Promise.all(indexes.map(async (index) => (await getHost(lab, `host-${index}`))?.status.provisioning.ID ?? ''));

test('a namespace that is deleted goes with hosts in every state, and Ironic keeps no node of them', async () => {
  await Promise.all([
    aHost(0, 'available'),
    aHost(1, 'provisioned', { image: image() }),
    aHost(2, 'provisioned', { image: image() }),
    aHost(3, 'available'),
    refused(4),
    createHost(lab, 5, { image: NOWHERE }).then(() => failing(5, 'provisioning error')),
    aHost(6, 'externally provisioned', { externallyProvisioned: true }),
    detached(7),
    claimed(8),
    aHost(9, 'available', { online: false }),
  ]);
  const deployed = await nodesOfHosts(1, 2, 8);
  const [external = ''] = await nodesOfHosts(6);
  // In the middle of something.
  await editHost(lab, 'host-2', { image: null });
  await editHost(lab, 'host-3', { image: image() });
  await Promise.all([hostIn(lab, 'host-2', 'deprovisioning'), hostIn(lab, 'host-3', 'provisioning')]);
  await aHost(10, 'inspecting');

  await deletedWithAll(lab);
  expect((await nodesOf(lab)).filter((name) => name?.startsWith(`${NAMESPACE}~`))).toEqual([]);
  const { deleted = {} } = (await recorded(lab)).provisions;
  expect(deployed.map((node) => deleted[node])).toEqual([1, 1, 1]);
  expect(deleted[external]).toBeUndefined();
});
