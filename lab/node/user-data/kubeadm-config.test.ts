import { describe, expect, test } from 'vitest';
import { completeInit, initForJoin, initNodeIn, readDocuments } from './kubeadm-config.ts';

const CLUSTER = {
  apiVersion: 'kubeadm.k8s.io/v1beta4',
  kind: 'ClusterConfiguration',
  controlPlaneEndpoint: '127.0.0.1:6443',
  kubernetesVersion: 'v1.34.4',
};

describe("kubeadm's configuration", () => {
  test.each([
    ['a map', '{node-labels: "a=b"}'],
    ['a list', '[{name: node-labels, value: "a=b"}]'],
  ])("has the kubelet's arguments as %s", (_, args) => {
    const text = `---\n---\nkind: InitConfiguration\nnodeRegistration: {name: n, kubeletExtraArgs: ${args}}\n`;

    expect(initNodeIn(readDocuments(text))).toEqual({ name: 'n', kubeletExtraArgs: { 'node-labels': 'a=b' } });
  });

  test('of a first control plane gets the address of the machine, unless it has one', () => {
    const initial = { kind: 'InitConfiguration', localAPIEndpoint: { advertiseAddress: '10.0.0.1', bindPort: 7443 } };

    const [, found] = completeInit([CLUSTER], { address: '172.22.100.1' });
    const [cluster, kept] = completeInit([CLUSTER, initial], { address: '172.22.100.1', certificatesDir: '/here/pki' });

    expect(found).toEqual({
      apiVersion: CLUSTER.apiVersion,
      kind: 'InitConfiguration',
      localAPIEndpoint: { advertiseAddress: '172.22.100.1' },
    });
    expect([cluster, kept]).toEqual([{ ...CLUSTER, certificatesDir: '/here/pki' }, initial]);
  });

  test('of a further control plane is that of the cluster with its own registration', () => {
    const nodeRegistration = { name: 'second', kubeletExtraArgs: [{ name: 'v', value: '2' }] };
    const localAPIEndpoint = { bindPort: 7443 };
    const { apiVersion } = CLUSTER;
    const joining = { apiVersion, kind: 'JoinConfiguration', nodeRegistration, controlPlane: { localAPIEndpoint } };

    expect(initForJoin(CLUSTER, [joining])).toEqual([
      CLUSTER,
      { apiVersion, kind: 'InitConfiguration', nodeRegistration, localAPIEndpoint },
    ]);
  });
});
