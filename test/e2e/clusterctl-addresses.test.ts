import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from '../../lab/supervisor/session.ts';
import { createTemporalNamespace } from '../builders/temporal-namespace.ts';
import { aClusterctl, type Clusterctl, VERSIONS } from './support/clusterctl.ts';
import { deploymentServices } from './support/deployments.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { kubectl, NAMESPACE } from './support/hosts.ts';
import { create, expectGone, expectToShow, get, KINDS, PATIENCE, remove } from './support/machines.ts';
import { managersOf, startTogether } from './support/providers.ts';

/**
 * The real clusterctl installs the IPAM provider alone, and its Deployments run as they are written: no hosts, no
 * machines of ours, no Ironic.
 */

const NAMES = { provider: 'ipam-metal3', namespace: 'metal3-ipam-system' } as const;
const DEPLOYMENTS = ['ipam-temper-bridge', 'ipam-temper-workers'] as const;

let folder: string;
let clusterctl: Clusterctl;
let lab: TestFixtureLab;
let session: Session;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-clusterctl-'));
  [lab, clusterctl] = await Promise.all([aFixtureLab({ temper: false, crds: false }), aClusterctl(folder)]);
  const { kubeconfig, temporalAddress } = lab.endpoints;
  await clusterctl(kubeconfig, ['init', '--ipam', `metal3:${VERSIONS.installed}`], {
    TEMPORAL_ADDRESS: temporalAddress,
    IPAM_INSECURE_DIAGNOSTICS: 'true',
  });
  // The page says that it must exist.
  await createTemporalNamespace(temporalAddress, 'metal3-ipam');
  session = await openSession({ dir: join(lab.dir, 'providers'), ephemeral: true });
  await startTogether(session, [
    ...(await managersOf(session, lab)),
    ...(await deploymentServices(session, lab, { ...NAMES, deployments: DEPLOYMENTS })),
  ]);
});
afterAll(async () => {
  await session?.close();
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const namesOf = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await kubectl(lab, ['get', '-o', 'jsonpath={.items[*].metadata.name}', ...args])).split(' ').filter(Boolean);

test('clusterctl installs addresses and nothing for hosts or machines', async () => {
  expect(await namesOf('-A', 'providers.clusterctl.cluster.x-k8s.io')).toEqual([
    'bootstrap-kubeadm',
    'control-plane-kubeadm',
    'cluster-api',
    NAMES.provider,
  ]);
  const crds = await namesOf('crds');
  const ours = crds.filter((name) => name.endsWith('metal3.io') || name.includes('infrastructure'));
  expect(ours).toEqual(['ipaddresses.ipam.metal3.io', 'ipclaims.ipam.metal3.io', 'ippools.ipam.metal3.io']);
  expect(await namesOf('-n', NAMES.namespace, 'deployments')).toEqual(DEPLOYMENTS);
});

const POOL = {
  namePrefix: 'office',
  pools: [{ start: '10.0.0.1', end: '10.0.0.2' }],
  prefix: 24,
  gateway: '10.0.0.254',
};

test('its Deployments serve claims of both kinds on the kinds of Cluster API, and take addresses back', async () => {
  await create(lab, 'ipPool', 'office', { spec: POOL });
  const poolRef = { apiGroup: 'ipam.metal3.io', kind: 'IPPool', name: 'office' };
  await create(lab, 'ipClaim', 'desk', { spec: { pool: { name: 'office' } } });
  await expectToShow(lab, 'ipClaim', 'desk', {
    status: { address: { name: 'office-10-0-0-1', namespace: NAMESPACE } },
  });
  await create(lab, 'ipAddressClaim', 'phone', { spec: { poolRef } });
  await expectToShow(lab, 'ipAddressClaim', 'phone', {
    status: { addressRef: { name: 'office-10-0-0-2' }, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  expect((await get(lab, 'clusterIpAddress', 'office-10-0-0-2'))?.spec).toEqual({
    address: '10.0.0.2',
    prefix: 24,
    gateway: '10.0.0.254',
    poolRef,
    claimRef: { name: 'phone' },
  });
  await create(lab, 'ipClaim', 'late', { spec: { pool: { name: 'office' } } });
  await expectToShow(lab, 'ipClaim', 'late', { status: { errorMessage: 'Exhausted IP Pools' } });
  await expectToShow(lab, 'ipPool', 'office', { status: { indexes: { desk: '10.0.0.1', phone: '10.0.0.2' } } });

  await remove(lab, 'ipAddressClaim', 'phone');
  await expectGone(lab, 'ipAddressClaim', 'phone');
  await expectToShow(lab, 'ipClaim', 'late', { status: { address: { name: 'office-10-0-0-2' } } });
});

test('its webhooks refuse what upstream’s refuse', async () => {
  const pools = [{ start: '10.0.0.9', end: '10.0.0.1' }];
  await expect(create(lab, 'ipPool', 'turned', { spec: { ...POOL, pools } })).rejects.toThrow(
    'end IP 10.0.0.1 is before start IP 10.0.0.9',
  );
});

test('a pool of a paused Cluster waits until the Cluster goes on', async () => {
  // Of any other provider.
  const infrastructureRef = { apiGroup: 'infrastructure.example.com', kind: 'ExampleCluster', name: 'blue' };
  const spec = { controlPlaneEndpoint: { host: '10.0.0.200', port: 6443 }, infrastructureRef, paused: true };
  await create(lab, 'cluster', 'blue', { spec });
  await create(lab, 'ipPool', 'blue', { spec: { ...POOL, namePrefix: 'blue', clusterName: 'blue' } });
  await create(lab, 'ipClaim', 'blue', { spec: { pool: { name: 'blue' } } });
  const owner = { kind: KINDS.cluster.kind, name: 'blue' };
  await expectToShow(lab, 'ipPool', 'blue', { metadata: { ownerReferences: [owner] } });
  expect((await get(lab, 'ipClaim', 'blue'))?.metadata.finalizers).toEqual([]);
  await kubectl(lab, [
    'patch',
    `clusters.v1beta2.cluster.x-k8s.io/blue`,
    '--type=merge',
    '-p',
    '{"spec":{"paused":false}}',
  ]);
  await expectToShow(lab, 'ipClaim', 'blue', { status: { address: { name: 'blue-10-0-0-1' } } });
});

test('clusterctl takes it away again, and leaves the objects that it served', async () => {
  await clusterctl(lab.endpoints.kubeconfig, ['delete', '--ipam', 'metal3']);
  await expect.poll(() => namesOf('-n', NAMES.namespace, 'deployments'), PATIENCE).toEqual([]);
  expect(await namesOf('-n', NAMESPACE, 'ippools.ipam.metal3.io')).toEqual(['blue', 'office']);
});
