import { expect, vi } from 'vitest';
import { z } from 'zod';
import { connectKubeconfig, type Kube } from '../../../kube/client.ts';
import { collectionPath } from '../../../kube/paths.ts';
import { externalEtcd, externalEtcdSecrets } from '../../../lab/clusters/external-etcd.ts';
import { allocatePorts } from '../../../lab/supervisor/ports.ts';
import { kubectl, NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';
import { KINDS, PATIENCE } from './machines.ts';
import { type ObjectRecord, recordObjects } from './record.ts';

/** Clusters of Cluster API's own controllers on hosts of the lab. */

export const VERSION = 'v1.34.4';
const CAPI = 'cluster.x-k8s.io';
const INFRASTRUCTURE = `infrastructure.${CAPI}`;
export const CLUSTER_LABEL = `${CAPI}/cluster-name`;

/** The two roles of machines in a cluster. */
export type Role = 'control-plane' | 'worker';

/** Kubelet arguments of every machine: the uid of its host, from its metadata; if requested, its providerID as well. */
const registration = ({ presetIds = false }: ClusterWish): object => ({
  name: '{{ ds.meta_data.name }}',
  kubeletExtraArgs: [
    { name: 'node-labels', value: 'metal3.io/uuid={{ ds.meta_data.uuid }}' },
    ...(presetIds ? [{ name: 'provider-id', value: 'metal3://{{ ds.meta_data.providerid }}' }] : []),
  ],
});

export interface TemplateWish {
  /** Name of the template and of its data template. */
  readonly name: string;
  readonly spec?: object;
  readonly nodeReuse?: boolean;
  /** Part of the image's name, from which the kubelet takes its version. */
  readonly label?: string;
}

/** A Metal3MachineTemplate with an image of the lab and the Metal3DataTemplate of the same name. */
export function machineTemplate(lab: TestLab, { name, spec, nodeReuse = false, label = 'node' }: TemplateWish): object {
  return infrastructure('Metal3MachineTemplate', name, {
    nodeReuse,
    template: {
      spec: { automatedCleaningMode: 'metadata', dataTemplate: { name }, image: imageOf(lab, label), ...spec },
    },
  });
}

/** An image of the lab by the first part of its name. */
const imageOf = (lab: TestLab, label: string): object => {
  const url = `${lab.endpoints.images}/${label}-1MiB.raw`;
  return { url, checksum: `${url}.sha256`, checksumType: 'sha256', diskFormat: 'raw' };
};

/** Names for the machine's own system, and an address by DHCP on its first NIC. */
export const dataTemplate = (name: string): object =>
  infrastructure('Metal3DataTemplate', name, {
    metaData: {
      objectNames: ['name', 'local-hostname', 'local_hostname'].map((key) => ({ key, object: 'machine' })),
      indexes: [{ key: 'rack', offset: 10, prefix: 'rack-' }],
    },
    networkData: {
      links: { ethernets: [{ type: 'phy', id: 'eth0', macAddress: { fromHostInterface: 'eth0' } }] },
      networks: { ipv4DHCP: [{ id: 'lan', link: 'eth0' }] },
    },
  });

export interface ClusterWish {
  readonly workers: number;
  /** Of Kubernetes. */
  readonly version?: string;
  readonly failureDomains?: readonly string[];
  /** Changes to the template of a role; its hosts are those with the label `role`. */
  readonly templates?: Partial<Record<Role, Partial<TemplateWish>>>;
  /** Changes to the specs of the KubeadmControlPlane and of the MachineDeployment. */
  readonly controlPlane?: object;
  readonly deployment?: object;
  /** Kubelets start with a providerID. */
  readonly presetIds?: boolean;
}

export const machineTemplateRef = (name: string): object => ({
  apiGroup: INFRASTRUCTURE,
  kind: 'Metal3MachineTemplate',
  name,
});

export const templateName = (cluster: string, role: Role): string => `${cluster}-${role}`;

/** A Cluster with one control plane, on loopback, and workers; the Cluster in the older version of its API. */
export async function clusterManifests(lab: TestLab, name: string, wish: ClusterWish): Promise<readonly object[]> {
  const metadata = { name, namespace: NAMESPACE };
  const labels = { [CLUSTER_LABEL]: name };
  const { version = VERSION } = wish;
  const nodeRegistration = registration(wish);
  const { port } = (await allocatePorts({ port: {} })).ports;
  const templateRef = (role: Role): object => machineTemplateRef(templateName(name, role));
  const template = (role: Role, spec: object): object =>
    machineTemplate(lab, { name: templateName(name, role), spec, ...wish.templates?.[role] });
  return [
    ...externalEtcdSecrets(lab.dir, metadata),
    {
      apiVersion: `${CAPI}/v1beta1`,
      kind: 'Cluster',
      metadata,
      spec: {
        controlPlaneRef: { apiVersion: `controlplane.${CAPI}/v1beta1`, kind: 'KubeadmControlPlane', name },
        infrastructureRef: { apiVersion: `${INFRASTRUCTURE}/v1beta1`, kind: 'Metal3Cluster', name },
      },
    },
    infrastructure('Metal3Cluster', name, {
      controlPlaneEndpoint: { host: '127.0.0.1', port },
      ...(wish.failureDomains && {
        failureDomains: wish.failureDomains.map((domain) => ({ name: domain, controlPlane: true })),
      }),
    }),
    template('control-plane', { hostSelector: { matchLabels: { role: 'control-plane' } } }),
    template('worker', {
      hostSelector: { matchExpressions: [{ key: 'role', operator: 'in', values: ['worker', 'any'] }] },
    }),
    ...(['control-plane', 'worker'] as const).map((role) => dataTemplate(templateName(name, role))),
    {
      apiVersion: `controlplane.${CAPI}/v1beta2`,
      kind: 'KubeadmControlPlane',
      metadata,
      spec: {
        replicas: 1,
        version,
        machineTemplate: {
          metadata: { annotations: { [`machine.${CAPI}/certificates-expiry`]: '2099-01-01T00:00:00Z' } },
          spec: { infrastructureRef: templateRef('control-plane') },
        },
        kubeadmConfigSpec: {
          clusterConfiguration: { etcd: externalEtcd(lab.endpoints.etcd) },
          initConfiguration: { nodeRegistration },
          joinConfiguration: { nodeRegistration },
        },
        ...wish.controlPlane,
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
      metadata: { ...metadata, labels },
      spec: {
        clusterName: name,
        replicas: wish.workers,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            clusterName: name,
            version,
            bootstrap: { configRef: { apiGroup: `bootstrap.${CAPI}`, kind: 'KubeadmConfigTemplate', name } },
            infrastructureRef: templateRef('worker'),
          },
        },
        ...wish.deployment,
      },
    },
  ];
}

const infrastructure = (kind: string, name: string, spec: object): object => ({
  apiVersion: `${INFRASTRUCTURE}/v1beta2`,
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

const RECORDED = {
  Cluster: KINDS.cluster,
  Machine: KINDS.machine,
  KubeadmControlPlane: { apiVersion: `controlplane.${CAPI}/v1beta2`, plural: 'kubeadmcontrolplanes' },
  Metal3Cluster: KINDS.metal3Cluster,
  Metal3Machine: KINDS.metal3Machine,
  Metal3MachineTemplate: KINDS.metal3MachineTemplate,
  Metal3DataClaim: KINDS.metal3DataClaim,
  Metal3Data: KINDS.metal3Data,
  BareMetalHost: { apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
} as const;
export type ClusterRecord = ObjectRecord<keyof typeof RECORDED>;

/** Records all objects that belong to clusters in the lab's namespace. */
export const recordClusters = (lab: TestLab): ClusterRecord =>
  recordObjects(
    lab.kube,
    Object.fromEntries(
      Object.entries(RECORDED).map(([kind, resource]) => [kind, collectionPath(resource, NAMESPACE)]),
    ) as Record<keyof typeof RECORDED, string>,
  );

const secretSchema = z.looseObject({ data: z.record(z.string(), z.string()) });

/** What a Secret holds. */
export const contentOf = (secret: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(secretSchema.parse(secret).data).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );

/** Waits until exactly this many workers exist and run; returns their names. */
export async function runningWorkers(lab: TestLab, cluster: string, count: number): Promise<readonly string[]> {
  const ofCluster = `${CLUSTER_LABEL}=${cluster},!cluster.x-k8s.io/control-plane`;
  const args = ['get', 'machines.v1beta2.cluster.x-k8s.io', '-l', ofCluster, '-o'];
  const phases = 'jsonpath={range .items[*]}{.status.phase}{" "}{end}';
  await vi.waitFor(async () => {
    expect(await kubectl(lab, [...args, phases])).toBe('Running '.repeat(count));
  }, PATIENCE);
  return (await kubectl(lab, [...args, 'jsonpath={.items[*].metadata.name}'])).split(' ');
}

export interface Workload {
  readonly kube: Kube;
  readonly record: ObjectRecord<'Node' | 'Pod'>;
  close(): Promise<void>;
}

/** Connects to the workload cluster with the kubeconfig from Cluster API and records it from now on. */
export async function openWorkload(record: ClusterRecord, cluster: string): Promise<Workload> {
  const { object } = await record.first('Secret', {}, `${cluster}-kubeconfig`);
  const kube = connectKubeconfig(contentOf(object)['value'] ?? '');
  await vi.waitFor(() => kube.request({ path: '/version' }), PATIENCE);
  const all = recordObjects(kube, { Node: '/api/v1/nodes', Pod: '/api/v1/pods' });
  return {
    kube,
    record: all,
    close: async () => {
      all.close();
      await kube.close();
    },
  };
}
