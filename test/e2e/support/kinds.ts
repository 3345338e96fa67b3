import type { Kube } from '../../../kube/client.ts';
import { serveKinds, type ThrowAwayKind } from '../../builders/throw-away-kinds.ts';

const CLUSTER_API = 'cluster.x-k8s.io/v1beta2';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1beta2';

const IPAM = 'ipam.metal3.io/v1alpha1';
const CLUSTER_IPAM = 'ipam.cluster.x-k8s.io/v1beta2';

export const KINDS = {
  host: { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', plural: 'baremetalhosts' },
  cluster: { apiVersion: CLUSTER_API, kind: 'Cluster', plural: 'clusters' },
  machine: { apiVersion: CLUSTER_API, kind: 'Machine', plural: 'machines' },
  machineSet: { apiVersion: CLUSTER_API, kind: 'MachineSet', plural: 'machinesets' },
  metal3Cluster: { apiVersion: INFRASTRUCTURE, kind: 'Metal3Cluster', plural: 'metal3clusters' },
  metal3Machine: { apiVersion: INFRASTRUCTURE, kind: 'Metal3Machine', plural: 'metal3machines' },
  metal3MachineTemplate: {
    apiVersion: INFRASTRUCTURE,
    kind: 'Metal3MachineTemplate',
    plural: 'metal3machinetemplates',
  },
  metal3DataTemplate: { apiVersion: INFRASTRUCTURE, kind: 'Metal3DataTemplate', plural: 'metal3datatemplates' },
  metal3DataClaim: { apiVersion: INFRASTRUCTURE, kind: 'Metal3DataClaim', plural: 'metal3dataclaims' },
  metal3Remediation: { apiVersion: INFRASTRUCTURE, kind: 'Metal3Remediation', plural: 'metal3remediations' },
  openShiftMachine: { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', plural: 'machines' },
  clusterMachine: { apiVersion: 'cluster.k8s.io/v1alpha1', kind: 'Machine', plural: 'machines' },
  clusterMachineSet: { apiVersion: 'cluster.k8s.io/v1alpha1', kind: 'MachineSet', plural: 'machinesets' },
  openShiftMachineSet: { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', plural: 'machinesets' },
  healthCheck: {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineHealthCheck',
    plural: 'machinehealthchecks',
  },
  ipPool: { apiVersion: IPAM, kind: 'IPPool', plural: 'ippools' },
  ipClaim: { apiVersion: IPAM, kind: 'IPClaim', plural: 'ipclaims' },
  ipAddress: { apiVersion: IPAM, kind: 'IPAddress', plural: 'ipaddresses' },
  ipAddressClaim: { apiVersion: CLUSTER_IPAM, kind: 'IPAddressClaim', plural: 'ipaddressclaims' },
  clusterIpAddress: { apiVersion: CLUSTER_IPAM, kind: 'IPAddress', plural: 'ipaddresses' },
  metal3Data: { apiVersion: INFRASTRUCTURE, kind: 'Metal3Data', plural: 'metal3datas' },
} as const satisfies Record<string, ThrowAwayKind>;

/** The kinds of Cluster API that the bridge reads, without validation, for labs without Cluster API. */
export const serveClusterApi = (kube: Kube): Promise<void> =>
  serveKinds(kube, [KINDS.cluster, KINDS.machine, KINDS.machineSet]);
