import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pkiIn } from '../control-plane/certificates.ts';
import type { StoryManifest } from '../hosts/manifests.ts';

/** Namespace and name of a Cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The Secrets with CA and client certificate with which a KubeadmControlPlane uses the lab's etcd as external etcd.
 * They must exist before the control plane.
 */
export function externalEtcdSecrets(labDir: string, { namespace, name }: ClusterName): readonly StoryManifest[] {
  const { ca, etcdClient } = pkiIn(join(labDir, 'pki'));
  const secret = (suffix: string, files: Readonly<Record<string, string>>): StoryManifest => ({
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

/** The matching value of `clusterConfiguration.etcd` of a KubeadmControlPlane. */
export const externalEtcd = (endpoint: string): object => ({
  external: {
    endpoints: [endpoint],
    caFile: '/etc/kubernetes/pki/etcd/ca.crt',
    certFile: '/etc/kubernetes/pki/apiserver-etcd-client.crt',
    keyFile: '/etc/kubernetes/pki/apiserver-etcd-client.key',
  },
});
