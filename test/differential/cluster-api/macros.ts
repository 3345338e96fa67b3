import type { ClusterStep, Create, HostStep, MachineStep, Step, Write } from './steps.ts';

/** A step as the writes that it stands for; undefined: it waits. */
export function expanded(step: Step): readonly Write[] | undefined {
  if ('rest' in step) return undefined;
  if ('cluster' in step) return aCluster(step);
  if ('host' in step) return aHost(step);
  if ('machine' in step) return aMachine(step);
  return [step];
}

const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io';

/** A condition of Cluster API's older contract, in the status where that keeps it. */
const shows = (type: string): Create['status'] => ({
  deprecated: { v1beta1: { conditions: [{ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
});

/** The kubeconfig of the API server that plays the story. */
export const KUBECONFIG = '<kubeconfig>';

function aCluster({ cluster: name, paused, annotations, spec }: ClusterStep): readonly Write[] {
  return [
    {
      create: { kind: 'Cluster', name },
      owners: [],
      spec: {
        paused,
        controlPlaneEndpoint: { host: '192.0.2.1', port: 6443 },
        infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'Metal3Cluster', name },
      },
      status: { ...shows('InfrastructureReady'), initialization: { infrastructureProvisioned: true } },
    },
    {
      create: { kind: 'Secret', name: `${name}-kubeconfig` },
      owners: [],
      labels: { [CLUSTER_NAME]: name },
      stringData: { value: KUBECONFIG },
    },
    {
      create: { kind: 'Metal3Cluster', name },
      owners: [{ kind: 'Cluster', name }],
      labels: { [CLUSTER_NAME]: name },
      annotations,
      spec: { controlPlaneEndpoint: { host: '192.0.2.1', port: 6443 }, cloudProviderEnabled: false, ...spec },
    },
  ];
}

function aHost({ host: name, labels, annotations, spec }: HostStep): readonly Write[] {
  const stringData = { username: 'admin', password: 'secret' };
  return [
    { create: { kind: 'Secret', name: `${name}-bmc` }, owners: [], stringData },
    {
      create: { kind: 'BareMetalHost', name },
      owners: [],
      labels,
      annotations,
      spec: {
        online: true,
        bootMACAddress: '00:5c:52:31:3a:9c',
        bmc: { address: `redfish+http://192.0.2.10/redfish/v1/Systems/${name}`, credentialsName: `${name}-bmc` },
        ...spec,
      },
    },
  ];
}

const IMAGE = {
  url: 'http://images.test/a.raw',
  checksum: 'http://images.test/a.raw.sha256',
  checksumType: 'sha256',
  diskFormat: 'raw',
};

function aMachine({
  machine: name,
  of: cluster,
  owners,
  labels,
  machineSpec,
  annotations,
  spec,
}: MachineStep): readonly Write[] {
  const all = { [CLUSTER_NAME]: cluster, ...labels };
  return [
    { create: { kind: 'Secret', name: `${name}-boot` }, owners: [], stringData: { value: '#cloud-config' } },
    {
      create: { kind: 'Machine', name },
      owners,
      labels: all,
      spec: {
        clusterName: cluster,
        bootstrap: {
          dataSecretName: `${name}-boot`,
          configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name },
        },
        infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: 'Metal3Machine', name },
        ...machineSpec,
      },
      status: shows('BootstrapReady'),
    },
    {
      create: { kind: 'Metal3Machine', name },
      owners: [{ kind: 'Machine', name }],
      labels: all,
      annotations,
      spec: { image: IMAGE, ...spec },
    },
  ];
}
