import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensurePki } from '../control-plane/certificates.ts';
import { exampleHosts } from '../hosts/examples.ts';
import { isHost, type StoryManifest } from '../hosts/manifests.ts';
import { bmcAddress, IRONIC_PORTS } from '../ironic/ironic-lab.ts';
import type { LabEndpoints } from '../lab.ts';
import { assembleMachines } from '../machines/load.ts';
import { bootMac } from '../machines/machine.ts';
import { exampleCluster, machinesBeside } from './examples.ts';

const machines = assembleMachines(20);
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-example-cluster-'));
  await ensurePki(join(dir, 'pki'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('the example cluster', () => {
  test('has hosts on machines of the lab, the last four, which none of the example hosts has', () => {
    const hosts = exampleCluster({ dir, endpoints: endpoints() }).filter(isHost);

    expect(hosts.map(({ spec }) => spec?.['bootMACAddress'])).toEqual(machines.slice(16).map(bootMac));
    expect(hosts.map(bmcOf)).toEqual(machines.slice(16).map((machine) => bmcAddress(machine, endpoints())));
    const others = exampleHosts({ endpoints: endpoints(), machines }).filter(isHost);
    expect(hosts.map(nameOf).filter((name) => others.map(nameOf).includes(name))).toEqual([]);
  });

  test('leaves its machines to itself when there are more hosts than in the example', () => {
    const beside = machinesBeside(assembleMachines(44));
    const hosts = exampleHosts({ endpoints: endpoints(), machines: beside }, { count: 40 }).filter(isHost);

    const own = exampleCluster({ dir, endpoints: endpoints() }).filter(isHost);
    expect(new Set([...hosts, ...own].map(bmcOf)).size).toBe(44);
  });

  test('takes hosts of its own only, by a label that only they have', () => {
    const manifests = exampleCluster({ dir, endpoints: endpoints() });
    const selectors = manifests
      .filter(({ kind }) => kind === 'Metal3MachineTemplate')
      .map(({ spec }) => (spec as unknown as MachineTemplateSpec).template.spec.hostSelector.matchLabels);

    expect(selectors).toHaveLength(2);
    for (const host of manifests.filter(isHost))
      for (const labels of selectors) expect(host.metadata.labels).toEqual(labels);
  });

  test('finds the Secrets by which it may use the etcd of the lab', () => {
    const secrets = exampleCluster({ dir, endpoints: endpoints() })
      .filter(({ kind }) => kind === 'Secret')
      .map(nameOf);

    expect(secrets).toEqual(expect.arrayContaining(['demo-etcd', 'demo-apiserver-etcd-client', 'demo-bmc']));
  });

  test('follows the ports when these had to move, its own API server’s too', () => {
    const moved = endpoints({ redfish: 30_001, agent: 30_002, etcd: 30_003, workloadCluster: 30_004 });

    const text = JSON.stringify(exampleCluster({ dir, endpoints: moved }).filter(({ kind }) => kind !== 'Secret'));

    expect(text).toContain('"controlPlaneEndpoint":{"host":"127.0.0.1","port":30004}');
    expect(text).toContain('"endpoints":["https://127.0.0.1:30003"]');
    expect(text).not.toMatch(/127\.0\.0\.1:(?!3000[123]\b)/);
  });
});

interface MachineTemplateSpec {
  readonly template: { readonly spec: { readonly hostSelector: { readonly matchLabels: Record<string, string> } } };
}

const nameOf = ({ metadata }: StoryManifest): string => metadata.name;
const bmcOf = (host: StoryManifest): string => (host.spec as { bmc: { address: string } }).bmc.address;

const endpoints = ({
  redfish = IRONIC_PORTS.redfish as number,
  agent = IRONIC_PORTS.agent as number,
  etcd = 12_379,
  workloadCluster = 17_443,
} = {}): LabEndpoints =>
  ({
    redfish: `http://127.0.0.1:${redfish}`,
    agentControl: `http://127.0.0.1:${agent}`,
    images: `http://127.0.0.1:${agent}/images`,
    etcd: `https://127.0.0.1:${etcd}`,
    workloadCluster: `https://127.0.0.1:${workloadCluster}`,
    testImage: { url: 'http://images/test', checksum: '0', checksumType: 'sha256' },
    bmc: { username: 'admin', password: 'password' },
  }) as LabEndpoints;
