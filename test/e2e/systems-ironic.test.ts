import { afterAll, beforeAll, expect, test } from 'vitest';
import { configureNetwork } from '../../lab/node/network/configure.ts';
import { apply, createHost, getHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import {
  addressOf,
  consumerNamed,
  expectNodeGone,
  findNode,
  killBoth,
  OPENSHIFT,
  registerNode,
  serveMachineApi,
  specFor,
} from './support/machine-api.ts';
import {
  aCluster,
  aMachine,
  create,
  expectGone,
  expectToShow,
  list,
  on,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { machineOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';

/** The Machine API and pools of addresses on real Ironic; bridge and workers are killed in the middle. */

const HOSTS = [0, 1, 2, 3] as const;
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: HOSTS.length, temperEnv: { MACHINE_API: 'all' } });
  await serveClusterApi(lab.kube);
  await serveMachineApi(lab);
  for (const index of HOSTS) await createHost(lab, index);
  for (const host of ['host-0', 'host-1']) await kubectl(lab, ['label', 'bmh', host, `for=${host}`]);
});
afterAll(async () => lab?.stop());

test.each([
  ['OpenShift', 'openShiftMachine', 'real', OPENSHIFT],
  ['the first documents', 'clusterMachine', 'early', 'cluster.k8s.io/v1alpha1'],
] as const)(
  'a Machine of %s gets a host of Ironic, becomes a Node on it, and gives it back wiped',
  async (_, kind, name, api) => {
    const { metadata } = await hostIn(lab, 'host-0', 'available');
    const { writes } = (await machineOf(lab, 0)).disk;
    const { url, checksum } = lab.endpoints.testImage;
    await apply(lab, secret('host-0-user-data', { userData: '#cloud-config' }));
    await create(lab, kind, name, { spec: specFor('host-0', { image: { url, checksum } }) });
    await expectToShow(lab, 'host', 'host-0', { spec: { consumerRef: consumerNamed(name, api) } });
    await killBoth(lab);
    await hostIn(lab, 'host-0', 'provisioning');
    await killBoth(lab);

    await hostIn(lab, 'host-0', 'provisioned');
    expect((await machineOf(lab, 0)).disk).toMatchObject({
      image: { url },
      writes: writes + 1,
      configDrive: { userData: '#cloud-config' },
    });
    const providerID = `baremetalhost:///${NAMESPACE}/host-0/${metadata.uid}`;
    const machine = await expectToShow(lab, kind, name, {
      metadata: { annotations: { 'metal3.io/BareMetalHost': `${NAMESPACE}/host-0` } },
      spec: { providerID },
      status: { phase: 'Provisioned' },
    });
    expect(lab.machines[0]?.inventory.nics.map(({ ip }) => ip)).toContain(addressOf(machine));
    await registerNode(lab, name, addressOf(machine));
    await killBoth(lab);
    await expectToShow(lab, kind, name, { status: { phase: 'Running', nodeRef: { name } } });
    await expect.poll(() => findNode(lab, name), PATIENCE).toMatchObject({ spec: { providerID } });

    await remove(lab, kind, name);
    await hostIn(lab, 'host-0', 'deprovisioning');
    await killBoth(lab);
    await expectGone(lab, kind, name);
    await expectNodeGone(lab, name);
    expect((await hostIn(lab, 'host-0', 'available')).spec).not.toHaveProperty('consumerRef');
    expect((await machineOf(lab, 0)).disk).toMatchObject({ image: null, writes: writes + 1 });
    await expect.poll(() => powerOf(lab, 0), PATIENCE).toBe('Off');
  },
);

test('a MachineSet that is scaled to hosts of Ironic deploys each of them once, and gives them back wiped', async () => {
  const pair = [2, 3] as const;
  const states = (): Promise<readonly (string | undefined)[]> =>
    Promise.all(pair.map(async (index) => (await getHost(lab, `host-${index}`))?.status.provisioning.state));
  const machines = async (): Promise<number> => (await list(lab, 'openShiftMachine')).length;
  for (const index of pair) {
    await hostIn(lab, `host-${index}`, 'available');
    await kubectl(lab, ['label', 'bmh', `host-${index}`, 'set=scaled']);
  }
  const { url, checksum } = lab.endpoints.testImage;
  const hostSelector = { matchLabels: { set: 'scaled' } };
  await create(lab, 'openShiftMachineSet', 'scaled', {
    metadata: { annotations: { [SCALED]: '' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { set: 'scaled' } },
      template: {
        metadata: { labels: { set: 'scaled' } },
        spec: specFor('scaled', { image: { url, checksum }, userData: {}, hostSelector }),
      },
    },
  });
  await expect.poll(machines, PATIENCE).toBeGreaterThan(0);
  await killBoth(lab);
  await expect.poll(states, PATIENCE).toContain('provisioning');
  await killBoth(lab);
  for (const index of pair) {
    await hostIn(lab, `host-${index}`, 'provisioned');
    expect((await machineOf(lab, index)).disk).toMatchObject({ image: { url }, writes: 1 });
  }
  await expectToShow(lab, 'openShiftMachineSet', 'scaled', { spec: { replicas: 2 }, status: { replicas: 2 } });
  expect(await machines()).toBe(2);

  await patch(lab, 'openShiftMachineSet', 'scaled', { metadata: { annotations: { [SCALED]: null } } });
  await patch(lab, 'openShiftMachineSet', 'scaled', { spec: { replicas: 1 } });
  await expect.poll(states, PATIENCE).toContain('deprovisioning');
  await killBoth(lab);
  await expect.poll(machines, PATIENCE).toBe(1);
  await expectToShow(lab, 'openShiftMachineSet', 'scaled', { status: { replicas: 1 } });
  expect(new Set(await states())).toEqual(new Set(['available', 'provisioned']));

  await remove(lab, 'openShiftMachineSet', 'scaled');
  await killBoth(lab);
  await expectGone(lab, 'openShiftMachineSet', 'scaled');
  await expect.poll(machines, PATIENCE).toBe(0);
  for (const index of pair) {
    expect((await hostIn(lab, `host-${index}`, 'available')).spec).not.toHaveProperty('consumerRef');
    expect((await machineOf(lab, index)).disk).toMatchObject({ image: null, writes: 1 });
    await expect.poll(() => powerOf(lab, index), PATIENCE).toBe('Off');
  }
});

const SCALED = 'metal3.io/autoscale-to-hosts';

const POOL = { namePrefix: 'real', pools: [{ start: '172.22.210.10', end: '172.22.210.11' }], prefix: 24 };
const NETWORK = { gateway: '172.22.210.1', dnsServers: ['172.22.210.53'] };
const fromPool = { fromPoolRef: { apiGroup: 'ipam.metal3.io', kind: 'IPPool', name: 'real' } };
const NETWORK_DATA = {
  links: { ethernets: [{ type: 'phy', id: 'eth0', macAddress: { fromHostInterface: 'eth0' } }] },
  networks: {
    ipv4: [{ id: 'lan', link: 'eth0', ...fromPool, routes: [{ network: '0.0.0.0', prefix: 0, gateway: fromPool }] }],
  },
  services: { dnsFromIPPool: 'real' },
};

/** This lab has no cluster to join, so the test configures the network as a machine does that boots from the disk. */
test('a machine boots with the address, prefix, gateway and DNS server of its pool, which takes the address back', async () => {
  await hostIn(lab, 'host-1', 'available');
  await aCluster(lab, 'pools');
  await create(lab, 'metal3DataTemplate', 'pooled', {
    metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'pools' } },
    spec: { clusterName: 'pools', networkData: NETWORK_DATA },
  });
  const image = { ...lab.endpoints.testImage, diskFormat: 'raw' };
  await aMachine(lab, 'pools', 'pooled', { spec: { ...on('host-1'), image, dataTemplate: { name: 'pooled' } } });
  // Its claim is open: there is no pool yet.
  await expect.poll(claims, PATIENCE).not.toBe('');
  await killBoth(lab);
  const pool = {
    apiVersion: 'ipam.metal3.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name: 'real', namespace: NAMESPACE },
  };
  await apply(lab, { ...pool, spec: { ...POOL, ...NETWORK } });
  await expect.poll(addresses, PATIENCE).toBe('172.22.210.10');
  await killBoth(lab);
  await hostIn(lab, 'host-1', 'provisioning');
  await killBoth(lab);

  await hostIn(lab, 'host-1', 'provisioned');
  const network = { addresses: ['172.22.210.10/24'], gateways: [NETWORK.gateway], dnsServers: NETWORK.dnsServers };
  await expect.poll(async () => (await machineOf(lab, 1))['running'], PATIENCE).toBe('disk');
  const { disk } = await machineOf(lab, 1);
  const { networkData } = disk.configDrive as { readonly networkData: unknown };
  expect(configureNetwork(networkData, lab.machines[1]?.inventory.nics ?? [])).toEqual(network);
  expect(await addresses()).toBe('172.22.210.10');

  await remove(lab, 'metal3Machine', 'pooled');
  await remove(lab, 'machine', 'pooled');
  await hostIn(lab, 'host-1', 'deprovisioning');
  await killBoth(lab);
  await expectGone(lab, 'metal3Machine', 'pooled');
  await expect.poll(addresses, PATIENCE).toBe('');
});

/** The addresses that are given. */
const addresses = (): Promise<string> => listed('ipaddresses', '.spec.address');
const claims = (): Promise<string> => listed('ipclaims', '.metadata.name');
const listed = (plural: string, field: string): Promise<string> =>
  kubectl(lab, ['get', `${plural}.ipam.metal3.io`, '-n', NAMESPACE, '-o', `jsonpath={.items[*]${field}}`]);
