import { join } from 'node:path';
import { connectKube, type Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, type Named, nodePath, objectPath, type Resource } from '../../../kube/paths.ts';
import { clusterApiComponents } from '../../../lab/binaries/components.ts';
import { createPrograms } from '../../../lab/binaries/programs.ts';
import { applyAllCrds } from '../../../lab/control-plane/custom-resources.ts';
import { type Manifest, readManifestFile } from '../../../lab/control-plane/manifest.ts';
import { serveKinds } from '../../builders/throw-away-kinds.ts';

/** A control plane of any provider: Metal3 reads its template of machines and nothing else. */
const CONTROL_PLANE = {
  kind: 'AnyControlPlane',
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  plural: 'anycontrolplanes',
} as const;

const MACHINE_DEPLOYMENT = {
  kind: 'MachineDeployment',
  apiVersion: KINDS.machineSet.apiVersion,
  plural: 'machinedeployments',
} as const;

const REMEDIATION_TEMPLATE = {
  kind: 'Metal3RemediationTemplate',
  apiVersion: KINDS.remediation.apiVersion,
  plural: 'metal3remediationtemplates',
} as const;

/** The namespaced kinds of the stories, by the name that a story uses. */
const RESOURCES = {
  Secret: KINDS.secret,
  Cluster: KINDS.cluster,
  Machine: KINDS.machine,
  MachineSet: KINDS.machineSet,
  MachineDeployment: MACHINE_DEPLOYMENT,
  AnyControlPlane: CONTROL_PLANE,
  BareMetalHost: KINDS.host,
  Metal3Cluster: KINDS.metal3Cluster,
  Metal3Machine: KINDS.metal3Machine,
  Metal3MachineTemplate: KINDS.metal3MachineTemplate,
  Metal3DataTemplate: KINDS.dataTemplate,
  Metal3DataClaim: KINDS.dataClaim,
  Metal3Data: KINDS.data,
  Metal3Remediation: KINDS.remediation,
  Metal3RemediationTemplate: REMEDIATION_TEMPLATE,
  IPPool: KINDS.ipPool,
  IPClaim: KINDS.ipClaim,
  IPAddress: KINDS.ipAddress,
  IPAddressClaim: KINDS.ipAddressClaim,
  ClusterIPAddress: KINDS.clusterIpAddress,
} as const;
type Namespaced = keyof typeof RESOURCES;

export const STORY_KINDS = [...(Object.keys(RESOURCES) as Namespaced[]), 'Node'] as const;
export type StoryKind = (typeof STORY_KINDS)[number];

/** A kind as the API names it. */
export const apiOf = (kind: StoryKind): Resource & { readonly kind: string } =>
  kind === 'Node' ? { kind: 'Node', apiVersion: 'v1', plural: 'nodes' } : RESOURCES[kind];

/** Nodes have no namespace; those of a story are called `<namespace>.<name>`. */
export const pathOf = (kind: StoryKind, { namespace, name }: Named): string =>
  kind === 'Node' ? nodePath(`${namespace}.${name}`) : objectPath(RESOURCES[kind], { namespace, name });

export const collectionOf = (kind: StoryKind, namespace: string | undefined): string =>
  kind === 'Node' ? nodePath() : collectionPath(RESOURCES[kind], namespace);

/** Definitions of Cluster API that the stories use, with its own schemas. */
const OF_CLUSTER_API = [
  KINDS.cluster,
  KINDS.machine,
  KINDS.machineSet,
  MACHINE_DEPLOYMENT,
  KINDS.ipAddressClaim,
  KINDS.clusterIpAddress,
];
const NAMES = new Set(OF_CLUSTER_API.map(({ plural, apiVersion }) => `${plural}.${apiVersion.split('/')[0]}`));

/** The same kinds without schemas, where the API server does not serve them yet. */
export const serveAnyClusterApi = (kube: Kube): Promise<void> => serveKinds(kube, [...OF_CLUSTER_API, CONTROL_PLANE]);

/** Makes the API server serve the kinds of Cluster API, without its managers. */
export async function serveClusterApi(kubeconfig: string): Promise<void> {
  const programs = createPrograms(() => undefined);
  const { folder } = await clusterApiComponents({ kubectl: () => programs('kubectl') });
  const definitions = readManifestFile<Manifest & { readonly spec: object }>(join(folder, 'core-components.yaml'))
    .filter(({ kind, metadata }) => kind === 'CustomResourceDefinition' && NAMES.has(metadata.name))
    .map(({ spec, ...definition }) => {
      // The stories use the stored version only.
      const { conversion: _, ...rest } = spec as { readonly conversion?: unknown };
      return { ...definition, spec: rest };
    });
  await applyAllCrds(kubeconfig, definitions, AbortSignal.timeout(120_000));
  const kube = connectKube(kubeconfig);
  try {
    await serveKinds(kube, [CONTROL_PLANE]);
  } finally {
    await kube.close();
  }
}
