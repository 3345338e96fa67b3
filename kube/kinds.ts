/** The kinds of Cluster API's world that we read or write, with the version that we use. */

/** A kind that the bridge watches, because it has a workflow or a kind with a workflow depends on it. */
export interface FollowedKind {
  /**
   * The kind's name in the API, for example `Metal3Machine`. Together with its group where two kinds with workflows
   * have the same name: this text begins the ids of workflows.
   */
  readonly kind: string;
  /** The kind's name in the API, where `kind` is another. */
  readonly apiKind?: string;
  /** `group/version`. */
  readonly apiVersion: string;
  readonly plural: string;
  /** Its objects are in no namespace. */
  readonly isClusterScoped?: true;
}

const METAL3 = 'metal3.io/v1alpha1';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1beta2';
const CLUSTER_API = 'cluster.x-k8s.io/v1beta2';
const CLUSTER_IPAM = 'ipam.cluster.x-k8s.io/v1beta2';
const IPAM = 'ipam.metal3.io/v1alpha1';
const MACHINE_API = 'machine.openshift.io/v1beta1';

/** The kinds that we read or write, with the version that we use. */
export const KINDS = {
  host: { kind: 'BareMetalHost', apiVersion: METAL3, plural: 'baremetalhosts' },
  hardwareData: { kind: 'HardwareData', apiVersion: METAL3, plural: 'hardwaredata' },
  preprovisioningImage: { kind: 'PreprovisioningImage', apiVersion: METAL3, plural: 'preprovisioningimages' },
  dataImage: { kind: 'DataImage', apiVersion: METAL3, plural: 'dataimages' },
  secret: { kind: 'Secret', apiVersion: 'v1', plural: 'secrets' },
  dataTemplate: { kind: 'Metal3DataTemplate', apiVersion: INFRASTRUCTURE, plural: 'metal3datatemplates' },
  dataClaim: { kind: 'Metal3DataClaim', apiVersion: INFRASTRUCTURE, plural: 'metal3dataclaims' },
  data: { kind: 'Metal3Data', apiVersion: INFRASTRUCTURE, plural: 'metal3datas' },
  metal3Cluster: { kind: 'Metal3Cluster', apiVersion: INFRASTRUCTURE, plural: 'metal3clusters' },
  metal3MachineTemplate: {
    kind: 'Metal3MachineTemplate',
    apiVersion: INFRASTRUCTURE,
    plural: 'metal3machinetemplates',
  },
  metal3Machine: { kind: 'Metal3Machine', apiVersion: INFRASTRUCTURE, plural: 'metal3machines' },
  remediation: { kind: 'Metal3Remediation', apiVersion: INFRASTRUCTURE, plural: 'metal3remediations' },
  machine: { kind: 'Machine', apiVersion: CLUSTER_API, plural: 'machines' },
  machineSet: { kind: 'MachineSet', apiVersion: CLUSTER_API, plural: 'machinesets' },
  cluster: { kind: 'Cluster', apiVersion: CLUSTER_API, plural: 'clusters' },
  ipPool: { kind: 'IPPool', apiVersion: IPAM, plural: 'ippools' },
  ipClaim: { kind: 'IPClaim', apiVersion: IPAM, plural: 'ipclaims' },
  ipAddress: { kind: 'IPAddress', apiVersion: IPAM, plural: 'ipaddresses' },
  ipAddressClaim: { kind: 'IPAddressClaim', apiVersion: CLUSTER_IPAM, plural: 'ipaddressclaims' },
  clusterIpAddress: { kind: 'IPAddress', apiVersion: CLUSTER_IPAM, plural: 'ipaddresses' },
  openShiftMachine: {
    kind: 'Machine.machine.openshift.io',
    apiKind: 'Machine',
    apiVersion: MACHINE_API,
    plural: 'machines',
  },
  clusterMachine: {
    kind: 'Machine.cluster.k8s.io',
    apiKind: 'Machine',
    apiVersion: 'cluster.k8s.io/v1alpha1',
    plural: 'machines',
  },
  openShiftMachineSet: {
    kind: 'MachineSet.machine.openshift.io',
    apiKind: 'MachineSet',
    apiVersion: MACHINE_API,
    plural: 'machinesets',
  },
  healthCheck: { kind: 'MachineHealthCheck', apiVersion: MACHINE_API, plural: 'machinehealthchecks' },
  namespace: { kind: 'Namespace', apiVersion: 'v1', plural: 'namespaces', isClusterScoped: true },
  node: { kind: 'Node', apiVersion: 'v1', plural: 'nodes', isClusterScoped: true },
} as const;

/** The kinds of the Machine API whose objects get hosts. */
export const MACHINE_API_MACHINES = [KINDS.openShiftMachine, KINDS.clusterMachine] as const;
export type MachineApiKind = (typeof MACHINE_API_MACHINES)[number];

/** The name of the kind in its API. */
export const kindInApi = ({ kind, apiKind }: FollowedKind): string => apiKind ?? kind;

/** Kinds of one name may belong to different groups. */
export const isSameKind = (a: FollowedKind, b: FollowedKind): boolean =>
  a === b || (a.kind === b.kind && a.apiVersion === b.apiVersion);
