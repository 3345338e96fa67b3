import { fileURLToPath } from 'node:url';
import { CLUSTER_API_PORTS } from '../cluster-api/cluster-api.ts';
import { CONTROL_PLANE_PORTS } from '../control-plane/control-plane.ts';
import { etcdUrl } from '../control-plane/etcd.ts';
import { hostRelocations } from '../hosts/examples.ts';
import { isHost, type Relocation, readManifests, type StoryManifest } from '../hosts/manifests.ts';
import type { Lab } from '../lab.ts';
import { bootMac, type LabMachine } from '../machines/machine.ts';
import { externalEtcdSecrets } from './external-etcd.ts';

export const EXAMPLE_CLUSTER = fileURLToPath(new URL('../../examples/cluster.yaml', import.meta.url));

/** The example cluster with its hosts, changed to the addresses of this lab, and the Secrets for the lab's etcd. */
export function exampleCluster({ dir, endpoints }: Pick<Lab, 'dir' | 'endpoints'>): readonly StoryManifest[] {
  const manifests = readManifests(EXAMPLE_CLUSTER, clusterRelocations(endpoints));
  const secrets = manifests
    .filter(isCluster)
    .flatMap(({ metadata: { name, namespace = 'default' } }) => externalEtcdSecrets(dir, { name, namespace }));
  return [...secrets, ...manifests];
}

export const isCluster = ({ kind }: StoryManifest): boolean => kind === 'Cluster';

/** The hosts of the example cluster as in the file. */
export const exampleClusterHosts = (): readonly StoryManifest[] => readManifests(EXAMPLE_CLUSTER, []).filter(isHost);

/** The machines that the example cluster does not use. */
export function machinesBeside(machines: readonly LabMachine[]): readonly LabMachine[] {
  const taken = new Set(exampleClusterHosts().map(({ spec }) => spec?.['bootMACAddress']));
  return machines.filter((machine) => !taken.has(bootMac(machine)));
}

/** The addresses in the file and their replacements in this lab; empty when no change is needed. */
export function clusterRelocations(endpoints: Lab['endpoints']): readonly Relocation[] {
  const { etcd, workloadCluster } = endpoints;
  const port = (number: string | number): string => `port: ${number}`;
  return [
    ...hostRelocations(endpoints),
    { from: etcdUrl(CONTROL_PLANE_PORTS.etcd), to: etcd },
    ...(workloadCluster === undefined
      ? []
      : [{ from: port(CLUSTER_API_PORTS.workloadCluster), to: port(new URL(workloadCluster).port) }]),
  ].filter(({ from, to }) => from !== to);
}
