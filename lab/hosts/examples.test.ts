import { describe, expect, test } from 'vitest';
import { bmcAddress, IRONIC_PORTS } from '../ironic/ironic-lab.ts';
import type { FixtureEndpoints, LabEndpoints } from '../lab.ts';
import { assembleMachines, readOverrides } from '../machines/load.ts';
import { bootMac } from '../machines/machine.ts';
import { exampleHosts } from './examples.ts';
import { isHost, type StoryManifest } from './manifests.ts';

const machines = assembleMachines(20);

describe('the example hosts', () => {
  test('are five, three of them with an image, checksum and user data', () => {
    const hosts = exampleHosts({ endpoints: endpoints(), machines }).filter(isHost);

    expect(hosts).toHaveLength(5);
    expect(hosts.filter((host) => host.spec?.['image'] && host.spec['userData'])).toHaveLength(3);
  });

  test('fit the machines of the lab as they are written', () => {
    const hosts = exampleHosts({ endpoints: endpoints(), machines }).filter(isHost);

    expect(hosts.map(bmcOf)).toEqual(machines.slice(0, 5).map((machine) => bmcAddress(machine, endpoints())));
    expect(hosts.map((host) => host.spec?.['bootMACAddress'])).toEqual(machines.slice(0, 5).map(bootMac));
  });

  test('follow the ports when these had to move', () => {
    const moved = endpoints(30_001, 30_002);

    const text = JSON.stringify(exampleHosts({ endpoints: moved, machines }));

    expect(text).toContain('redfish-virtualmedia+http://127.0.0.1:30001/redfish/v1/Systems/');
    expect(text).toContain('"checksum":"http://127.0.0.1:30002/images/');
    expect(text).not.toMatch(/127\.0\.0\.1:(?!30001|30002)/);
  });

  test('find the Secret of their credentials beside them', () => {
    const manifests = exampleHosts({ endpoints: endpoints(), machines });
    const secrets = manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);

    for (const host of manifests.filter(isHost)) expect(secrets).toContain(credentialsOf(host));
  });

  test.each([3, 8])('become %i when so many are asked for, each on a machine of its own', (count) => {
    const hosts = exampleHosts({ endpoints: endpoints(), machines }, { count }).filter(isHost);

    expect(hosts).toHaveLength(count);
    expect(new Set(hosts.map(bmcOf)).size).toBe(count);
  });

  test.each([3, 8])('become %i without any machine where the fixture stands in for Ironic', (count) => {
    const lab = { endpoints: { kubeconfig: 'kubeconfig' } as FixtureEndpoints, machines: [] };
    const manifests = exampleHosts(lab, { count });

    expect(manifests.filter(isHost)).toHaveLength(count);
    const secrets = manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
    for (const host of manifests.filter(isHost)) expect(secrets).toContain(credentialsOf(host));
  });
});

test('the host of the documents fits its machine', async () => {
  const [machine] = assembleMachines(0, await readOverrides('examples/seed-test1-machines.yaml'));
  const file = 'examples/seed-test1.yaml';
  const hosts = exampleHosts({ endpoints: endpoints(), machines: [] }, { file }).filter(isHost);

  expect(hosts.map(({ metadata }) => metadata.name)).toEqual([machine?.name]);
  expect(hosts.map(({ spec }) => spec?.['bootMACAddress'])).toEqual([machine?.inventory.nics[0]?.mac]);
  expect(hosts.map(bmcOf).join()).toMatch(new RegExp(`/Systems/${machine?.uuid}$`));
});

interface Bmc {
  readonly address: string;
  readonly credentialsName: string;
}

const bmcOf = (host: StoryManifest): string => (host.spec as { bmc: Bmc }).bmc.address;
const credentialsOf = (host: StoryManifest): string => (host.spec as { bmc: Bmc }).bmc.credentialsName;

function endpoints(redfish: number = IRONIC_PORTS.redfish, agent: number = IRONIC_PORTS.agent): LabEndpoints {
  const images = `http://127.0.0.1:${agent}/images`;
  return {
    redfish: `http://127.0.0.1:${redfish}`,
    agentControl: `http://127.0.0.1:${agent}`,
    images,
    testImage: { url: `${images}/test-1MiB.raw`, checksum: '0', checksumType: 'sha256' },
    bmc: { username: 'admin', password: 'password' },
  } as LabEndpoints;
}
