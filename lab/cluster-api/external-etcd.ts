import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pkiIn } from '../control-plane/certificates.ts';
import type { Manifest } from '../hosts/manifests.ts';

/** A cluster by where its Cluster object is. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The Secrets by which a KubeadmControlPlane with external etcd uses the lab's: whom to believe, and as whom. They have
 * to be there before the control plane is.
 */
export function externalEtcdSecrets(labDir: string, { namespace, name }: ClusterName): readonly Manifest[] {
  const { ca, etcdClient } = pkiIn(join(labDir, 'pki'));
  const secret = (suffix: string, files: Readonly<Record<string, string>>): Manifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    metadata: { namespace, name: `${name}-${suffix}`, labels: { 'cluster.x-k8s.io/cluster-name': name } },
    stringData: Object.fromEntries(Object.entries(files).map(([key, file]) => [key, readFileSync(file, 'utf8')])),
  });
  return [
    secret('etcd', { 'tls.crt': ca }),
    secret('apiserver-etcd-client', { 'tls.crt': etcdClient.cert, 'tls.key': etcdClient.key }),
  ];
}

/** What `clusterConfiguration.etcd` of a KubeadmControlPlane says then. */
export const externalEtcd = (endpoint: string): object => ({
  external: {
    endpoints: [endpoint],
    caFile: '/etc/kubernetes/pki/etcd/ca.crt',
    certFile: '/etc/kubernetes/pki/apiserver-etcd-client.crt',
    keyFile: '/etc/kubernetes/pki/apiserver-etcd-client.key',
  },
});
