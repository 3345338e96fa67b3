import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { z } from 'zod';
import { externalEtcd, externalEtcdSecrets } from '../../../lab/cluster-api/external-etcd.ts';
import { connectKube, type Kube } from '../../../platform/kube.ts';
import { NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';
import { standIn, standInRef } from './stand-in.ts';

const VERSION = 'v1.34.4';
const CAPI = 'cluster.x-k8s.io';

const labels = (cluster: string): object => ({ [`${CAPI}/cluster-name`]: cluster });

/** What every kubelet is told: whose machine it runs on, from its metadata. */
const nodeRegistration = {
  name: '{{ ds.meta_data.name }}',
  kubeletExtraArgs: [
    { name: 'node-labels', value: 'metal3.io/uuid={{ ds.meta_data.uuid }}' },
    { name: 'provider-id', value: 'stand-in://{{ ds.meta_data.uuid }}' },
  ],
};

/** A Cluster with one control plane, on loopback, and workers; the Cluster in the older version of its API. */
export async function clusterManifests(lab: TestLab, name: string): Promise<readonly object[]> {
  const metadata = { name, namespace: NAMESPACE };
  const port = await getPort({ host: '127.0.0.1' });
  const template = standIn('StandInMachineTemplate', name, { template: { spec: {} } });
  return [
    ...externalEtcdSecrets(lab.dir, metadata),
    {
      apiVersion: `${CAPI}/v1beta1`,
      kind: 'Cluster',
      metadata,
      spec: {
        controlPlaneEndpoint: { host: '127.0.0.1', port },
        controlPlaneRef: { apiVersion: `controlplane.${CAPI}/v1beta1`, kind: 'KubeadmControlPlane', name },
        infrastructureRef: { apiVersion: `infrastructure.${CAPI}/v1beta2`, kind: 'StandInCluster', name },
      },
    },
    standIn('StandInCluster', name),
    template,
    {
      apiVersion: `controlplane.${CAPI}/v1beta2`,
      kind: 'KubeadmControlPlane',
      metadata,
      spec: {
        replicas: 1,
        version: VERSION,
        machineTemplate: {
          metadata: { annotations: { [`machine.${CAPI}/certificates-expiry`]: '2099-01-01T00:00:00Z' } },
          spec: { infrastructureRef: standInRef('StandInMachineTemplate', name) },
        },
        kubeadmConfigSpec: {
          clusterConfiguration: { etcd: externalEtcd(lab.endpoints.etcd) },
          initConfiguration: { nodeRegistration },
          joinConfiguration: { nodeRegistration },
        },
      },
    },
    {
      apiVersion: `bootstrap.${CAPI}/v1beta2`,
      kind: 'KubeadmConfigTemplate',
      metadata,
      spec: { template: { spec: { joinConfiguration: { nodeRegistration } } } },
    },
    {
      apiVersion: `${CAPI}/v1beta2`,
      kind: 'MachineDeployment',
      metadata: { ...metadata, labels: labels(name) },
      spec: {
        clusterName: name,
        replicas: 1,
        selector: { matchLabels: labels(name) },
        template: {
          metadata: { labels: labels(name) },
          spec: {
            clusterName: name,
            version: VERSION,
            bootstrap: {
              configRef: { apiGroup: `bootstrap.${CAPI}`, kind: 'KubeadmConfigTemplate', name },
            },
            infrastructureRef: standInRef('StandInMachineTemplate', name),
          },
        },
      },
    },
  ];
}

const secretSchema = z.looseObject({ data: z.record(z.string(), z.string()) });

export async function secretOf(lab: TestLab, name: string): Promise<Readonly<Record<string, string>>> {
  const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`;
  const { data } = secretSchema.parse(await lab.kube.request({ path }));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

/** A client of the workload cluster, with the kubeconfig that Cluster API made. */
export async function workloadKube(lab: TestLab, cluster: string): Promise<Kube> {
  const { value = '' } = await secretOf(lab, `${cluster}-kubeconfig`);
  const folder = await mkdtemp(join(tmpdir(), 'temper-workload-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, value, { mode: 0o600 });
  const kube = connectKube(file);
  await kube.find('/api/v1/namespaces/kube-system');
  await rm(folder, { recursive: true });
  return kube;
}
