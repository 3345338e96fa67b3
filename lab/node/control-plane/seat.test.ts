import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RootFolder, rootFolder } from '../root-folder.ts';
import type { ClusterConfiguration } from '../user-data/kubeadm-config.ts';
import { seatOf } from './seat.ts';

const SETTINGS = {
  kubeadm: '/bin/kubeadm',
  kubeApiserver: '/bin/kube-apiserver',
  kubeControllerManager: '/bin/kube-controller-manager',
  etcd: { url: 'https://127.0.0.1:12379', caFile: '/lab/ca', certFile: '/lab/cert', keyFile: '/lab/key' },
  logsDir: '/logs',
};

let folder: string;
let root: RootFolder;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'temper-seat-'));
  root = rootFolder(folder);
  await root.write('/etc/kubernetes/pki/ca.crt', 'one authority');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a control plane', () => {
  test("runs with its manifest's arguments and its machine's own files, on loopback", async () => {
    const { endpoint, programs } = await seatOf(
      cluster(),
      podsWith('--client-ca-file=/etc/kubernetes/pki/ca.crt'),
      root,
      SETTINGS,
    );

    expect(endpoint).toEqual({ host: '127.0.0.1', port: 26443 });
    expect(programs[0]?.args).toEqual(
      expect.arrayContaining([`--client-ca-file=${folder}/etc/kubernetes/pki/ca.crt`, '--secure-port=26443']),
    );
  });

  test('with an etcd of its own keeps its state in that of the lab, apart from others', async () => {
    const first = await apiServer(cluster());
    await root.write('/etc/kubernetes/pki/ca.crt', 'another authority');
    const second = await apiServer(cluster());

    expect(valuesOf(first, 'etcd-servers')).toEqual(['https://127.0.0.1:12379']);
    expect(valuesOf(first, 'etcd-prefix')).not.toEqual(valuesOf(second, 'etcd-prefix'));
  });

  test('with an external etcd keeps to it, and to the prefix that it was given', async () => {
    const external = { external: { endpoints: ['https://etcd:2379'] } };
    const args = await apiServer(cluster({ etcd: external }), '--etcd-prefix=/mine');

    expect(valuesOf(args, 'etcd-servers')).toEqual(['https://etcd:2379']);
    expect(valuesOf(args, 'etcd-prefix')).toEqual(['/mine']);
  });

  test('elsewhere than on loopback is refused', async () => {
    const away = cluster({ controlPlaneEndpoint: '192.168.111.249:6443' });

    await expect(seatOf(away, podsWith(), root, SETTINGS)).rejects.toThrow('on 127.0.0.1, not on 192.168.111.249');
  });
});

const cluster = (change: Partial<ClusterConfiguration> = {}): ClusterConfiguration => ({
  kind: 'ClusterConfiguration',
  clusterName: 'test1',
  controlPlaneEndpoint: '127.0.0.1:26443',
  kubernetesVersion: 'v1.34.4',
  ...change,
});

const podsWith = (...args: readonly string[]): Parameters<typeof seatOf>[1] => [
  podOf('kube-apiserver', ['--secure-port=6443', '--etcd-servers=https://etcd:2379', ...args]),
  podOf('kube-controller-manager', ['--controllers=*,tokencleaner']),
];

const podOf = (name: string, args: readonly string[]): Parameters<typeof seatOf>[1][number] => ({
  metadata: { name },
  spec: { containers: [{ name, command: [name, ...args] }] },
});

const apiServer = async (of: ClusterConfiguration, ...args: readonly string[]): Promise<readonly string[]> =>
  (await seatOf(of, podsWith(...args), root, SETTINGS)).programs[0]?.args ?? [];

const valuesOf = (args: readonly string[], name: string): readonly string[] =>
  args.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
