import { readFile } from 'node:fs/promises';
import { kubectl, NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';

/**
 * A cluster without a control plane provider: Cluster API's own controllers create its machines, the test creates its
 * Nodes.
 */

const CAPI = 'cluster.x-k8s.io';
const INFRASTRUCTURE = `infrastructure.${CAPI}`;
export const CLUSTER = 'moved';
const CLUSTER_LABEL = { [`${CAPI}/cluster-name`]: CLUSTER };

const named = (name: string, labels: object = CLUSTER_LABEL): object => ({ name, namespace: NAMESPACE, labels });
const refTo = (kind: string, name = CLUSTER): object => ({ apiGroup: INFRASTRUCTURE, kind, name });
const secretOf = (name: string, value: string, labels: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: `${CAPI}/secret`,
  metadata: named(name, { ...CLUSTER_LABEL, ...labels }),
  stringData: { value },
});

/** Addresses for the machines, and for one claim more. */
export const POOL = { start: '172.22.200.10', end: '172.22.200.19', prefix: 24, gateway: '172.22.200.1' } as const;
const fromPool = (key: string): object => ({ key, apiGroup: 'ipam.metal3.io', kind: 'IPPool', name: CLUSTER });

/**
 * One control plane machine and a MachineDeployment of workers, all with data from one template and an address from one
 * pool; its API is at `workload`.
 */
export async function movedCluster(
  { endpoints: { testImage } }: TestLab,
  workload: { readonly endpoints: { readonly kubeconfig: string } },
  workers: number,
): Promise<readonly object[]> {
  const boot = `${CLUSTER}-boot`;
  const machine = (infrastructureRef: object): object => ({
    clusterName: CLUSTER,
    bootstrap: { dataSecretName: boot },
    infrastructureRef,
  });
  const metal3Machine = { dataTemplate: { name: CLUSTER }, image: { ...testImage, diskFormat: 'raw' } };
  const inCluster = { metadata: { labels: CLUSTER_LABEL } };
  return [
    secretOf(`${CLUSTER}-kubeconfig`, await readFile(workload.endpoints.kubeconfig, 'utf8'), {}),
    // It has no owner, because no bootstrap provider created it.
    secretOf(boot, '#cloud-config', { [`clusterctl.${CAPI}/move`]: '' }),
    {
      apiVersion: `${CAPI}/v1beta2`,
      kind: 'Cluster',
      metadata: named(CLUSTER, {}),
      spec: { infrastructureRef: refTo('Metal3Cluster') },
    },
    {
      apiVersion: `${INFRASTRUCTURE}/v1beta2`,
      kind: 'Metal3Cluster',
      metadata: named(CLUSTER),
      spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 6443 } },
    },
    {
      apiVersion: `${INFRASTRUCTURE}/v1beta2`,
      kind: 'Metal3DataTemplate',
      metadata: named(CLUSTER),
      spec: {
        metaData: {
          indexes: [{ key: 'index' }],
          objectNames: [{ key: 'name', object: 'machine' }],
          ipAddressesFromPool: [fromPool('ip')],
          gatewaysFromPool: [fromPool('gateway')],
        },
      },
    },
    {
      apiVersion: 'ipam.metal3.io/v1alpha1',
      kind: 'IPPool',
      metadata: named(CLUSTER, {}),
      spec: { clusterName: CLUSTER, namePrefix: CLUSTER, pools: [POOL] },
    },
    {
      apiVersion: `${CAPI}/v1beta2`,
      kind: 'Machine',
      metadata: named(`${CLUSTER}-control-plane`, { ...CLUSTER_LABEL, [`${CAPI}/control-plane`]: '' }),
      spec: machine(refTo('Metal3Machine', `${CLUSTER}-control-plane`)),
    },
    {
      apiVersion: `${INFRASTRUCTURE}/v1beta2`,
      kind: 'Metal3Machine',
      metadata: named(`${CLUSTER}-control-plane`),
      spec: metal3Machine,
    },
    {
      apiVersion: `${INFRASTRUCTURE}/v1beta2`,
      kind: 'Metal3MachineTemplate',
      metadata: named(CLUSTER),
      spec: { template: { spec: metal3Machine } },
    },
    {
      apiVersion: `${CAPI}/v1beta2`,
      kind: 'MachineDeployment',
      metadata: named(`${CLUSTER}-workers`),
      spec: {
        clusterName: CLUSTER,
        replicas: workers,
        selector: { matchLabels: CLUSTER_LABEL },
        template: { ...inCluster, spec: machine(refTo('Metal3MachineTemplate')) },
      },
    },
  ];
}

const HEALTHY = [
  ['Ready', 'True'],
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => [type, 'False']),
];

/**
 * Creates a healthy Node for each machine, as its kubelet would: named after the machine, with the uid of its host, and
 * with a providerID if it was started with one.
 */
export async function joinNodes(
  workload: Parameters<typeof kubectl>[0],
  nodes: readonly { readonly name: string; readonly hostUid: string; readonly providerID: string | undefined }[],
): Promise<void> {
  const items = nodes.map(({ name, hostUid, providerID }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'metal3.io/uuid': hostUid } },
    spec: { providerID },
    status: { conditions: HEALTHY.map(([type, status]) => ({ type, status, reason: 'Kubelet' })) },
  }));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(workload, ['create', '-f', '-'], { input });
}
