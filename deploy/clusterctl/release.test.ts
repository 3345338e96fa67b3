import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** The files of a release besides its components, compared with cluster-api-provider-metal3's own release. */
const textOf = (file: string, provider = 'infrastructure'): string =>
  readFileSync(join(import.meta.dirname, provider, file), 'utf8');

/** `undefined`: required when a cluster is generated. */
const VARIABLES: Readonly<Record<string, string | undefined>> = {
  CLUSTER_NAME: undefined,
  NAMESPACE: undefined,
  SERVICE_CIDR: '["10.96.0.0/12"]',
  POD_CIDR: '["192.168.0.0/18"]',
  SERVICE_DOMAIN: '"cluster.local"',
  CLUSTER_APIENDPOINT_HOST: undefined,
  CLUSTER_APIENDPOINT_PORT: undefined,
  NODE_DRAIN_TIMEOUT: '0',
  CONTROL_PLANE_MACHINE_COUNT: undefined,
  WORKER_MACHINE_COUNT: undefined,
  KUBERNETES_VERSION: undefined,
  IMAGE_URL: undefined,
  IMAGE_CHECKSUM: undefined,
  IMAGE_CHECKSUM_TYPE: undefined,
  IMAGE_FORMAT: undefined,
  CTLPLANE_KUBEADM_EXTRA_CONFIG: undefined,
  WORKERS_KUBEADM_EXTRA_CONFIG: undefined,
};
const ASKED = /\$\{(\w+)(?::=([^}]*))?\}/g;

/** The variables in files with their defaults, sorted by name. */
const askedBy = (...files: readonly string[]): readonly string[] =>
  [
    ...new Set(files.flatMap((file) => [...textOf(file).matchAll(ASKED)].map(([, name, value]) => `${name}=${value}`))),
  ].toSorted();
const WANTED = Object.entries(VARIABLES)
  .map(([name, value]) => `${name}=${value}`)
  .toSorted();

const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
});

/** The objects of the cluster template by kind and name, with variables replaced by their values or defaults. */
function generated(values: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const filled = textOf('cluster-template.yaml').replace(ASKED, (_, name: string, value?: string) => {
    const text = values[name] ?? value;
    if (text === undefined) throw new Error(`${name} is not given`);
    return text;
  });
  const objects = parseAllDocuments(filled).map((document) => object.parse(document.toJS()));
  expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set([values['NAMESPACE']]));
  return Object.fromEntries(objects.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
}

describe('metadata.yaml', () => {
  // The series that Metal3's own releases name, which include ip-address-manager's next one.
  test.each([
    ['infrastructure', 14],
    ['ipam', 15],
  ])('has the contract of each series of %s, up to 1.%d: v1beta2 since 1.13, v1beta1 before', (provider, newest) => {
    const series = Array.from({ length: newest }, (_, index) => {
      const minor = newest - index;
      return { major: 1, minor, contract: minor >= 13 ? 'v1beta2' : 'v1beta1' };
    });
    expect(parse(textOf('metadata.yaml', provider))).toEqual({
      apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3',
      kind: 'Metadata',
      releaseSeries: series,
    });
  });
});

describe('the cluster template', () => {
  test('asks for the variables of Metal3’s own and no others, in both flavors', () => {
    expect(askedBy('cluster-template.yaml')).toEqual(WANTED);
    expect(askedBy('cluster-template-topology.yaml', 'clusterclass-metal3.yaml')).toEqual(WANTED);
  });

  const GIVEN = {
    CLUSTER_NAME: 'blue',
    NAMESPACE: 'metal',
    CLUSTER_APIENDPOINT_HOST: '192.168.111.249',
    CLUSTER_APIENDPOINT_PORT: '6444',
    CONTROL_PLANE_MACHINE_COUNT: '3',
    WORKER_MACHINE_COUNT: '2',
    KUBERNETES_VERSION: 'v1.34.4',
    IMAGE_URL: 'http://image',
    IMAGE_CHECKSUM: 'http://sums',
    IMAGE_CHECKSUM_TYPE: 'sha256',
    IMAGE_FORMAT: 'qcow2',
    CTLPLANE_KUBEADM_EXTRA_CONFIG: '    users: [{ name: root }]',
    WORKERS_KUBEADM_EXTRA_CONFIG: '      users: [{ name: work }]',
  };

  test('puts each of them where it belongs', () => {
    const drained = { nodeDrainTimeoutSeconds: 30 };
    const image = { url: 'http://image', checksum: 'http://sums', checksumType: 'sha256', diskFormat: 'qcow2' };
    const network = { POD_CIDR: '["10.1.0.0/16"]', SERVICE_CIDR: '["10.2.0.0/16"]', SERVICE_DOMAIN: '"blue.local"' };
    expect(generated({ ...GIVEN, ...network, NODE_DRAIN_TIMEOUT: '30' })).toMatchObject({
      'Cluster blue': {
        spec: {
          clusterNetwork: {
            pods: { cidrBlocks: ['10.1.0.0/16'] },
            services: { cidrBlocks: ['10.2.0.0/16'] },
            serviceDomain: 'blue.local',
          },
        },
      },
      'Metal3Cluster blue': { spec: { controlPlaneEndpoint: { host: '192.168.111.249', port: 6444 } } },
      'KubeadmControlPlane blue': {
        spec: {
          replicas: 3,
          version: 'v1.34.4',
          machineTemplate: { spec: { deletion: drained } },
          kubeadmConfigSpec: { users: [{ name: 'root' }] },
        },
      },
      'MachineDeployment blue': {
        spec: { clusterName: 'blue', replicas: 2, template: { spec: { version: 'v1.34.4', deletion: drained } } },
      },
      'KubeadmConfigTemplate blue-workers': { spec: { template: { spec: { users: [{ name: 'work' }] } } } },
      'Metal3MachineTemplate blue-controlplane': { spec: { template: { spec: { image } } } },
      'Metal3MachineTemplate blue-workers': { spec: { template: { spec: { image } } } },
    });
  });

  test('does without those that have a default', () => {
    const deletion = { nodeDrainTimeoutSeconds: 0 };
    expect(generated(GIVEN)).toMatchObject({
      'Cluster blue': {
        spec: {
          clusterNetwork: {
            pods: { cidrBlocks: ['192.168.0.0/18'] },
            services: { cidrBlocks: ['10.96.0.0/12'] },
            serviceDomain: 'cluster.local',
          },
        },
      },
      'KubeadmControlPlane blue': { spec: { machineTemplate: { spec: { deletion } } } },
      'MachineDeployment blue': { spec: { template: { spec: { deletion } } } },
    });
  });
});
