import { setTimeout as sleep } from 'node:timers/promises';
import { connectKube, connectKubeconfig, type Kube } from '../../kube/client.ts';
import { readSecretObject, textOf } from '../../kube/objects/secret.ts';
import { secretPath } from '../../kube/paths.ts';
import { type Identified, type WatchedObjects, watchLabObjects } from '../watch-objects.ts';
import {
  type ClusterObjects,
  type ClusterResource,
  isInitialized,
  type MachineResource,
  type Metal3MachineResource,
  type NodeResource,
  type RemediationResource,
} from './cluster-progress.ts';

const RETRY_MS = 500;
const CLUSTER_API = 'cluster.x-k8s.io';

/**
 * Watches a cluster of the default namespace with its machines and, through its own kubeconfig, its Nodes, until
 * aborted.
 */
export function watchCluster(
  kubeconfig: string,
  name: string,
  onChange: () => void,
  signal: AbortSignal,
): () => ClusterObjects {
  const kube = connectKube(kubeconfig);
  signal.addEventListener('abort', () => void kube.close(), { once: true });
  let nodes: FollowedNodes | undefined;

  const look = (): void => {
    const found = cluster();
    const uid = found !== undefined && isInitialized(found) ? found.metadata.uid : undefined;
    if (nodes?.of !== uid) {
      nodes?.stop();
      nodes =
        uid === undefined ? undefined : followNodes(uid, (until) => kubeconfigOf(kube, name, until), onChange, signal);
    }
    onChange();
  };
  const watchKind = <T extends Identified>(group: string, plural: string): WatchedObjects<T> =>
    watchLabObjects<T>(kube, `/apis/${group}/v1beta2/namespaces/default/${plural}`, look, signal);

  const clusters = watchKind<ClusterResource>(CLUSTER_API, 'clusters');
  const machines = watchKind<MachineResource>(CLUSTER_API, 'machines');
  const metal3Machines = watchKind<Metal3MachineResource>(`infrastructure.${CLUSTER_API}`, 'metal3machines');
  const remediations = watchKind<RemediationResource>(`infrastructure.${CLUSTER_API}`, 'metal3remediations');
  const cluster = (): ClusterResource | undefined => clusters.all().find(({ metadata }) => metadata.name === name);
  return () => ({
    cluster: cluster(),
    machines: machines.all().filter(({ metadata }) => metadata.labels?.[`${CLUSTER_API}/cluster-name`] === name),
    metal3Machines: metal3Machines.all(),
    remediations: remediations.all(),
    nodes: nodes?.all() ?? [],
  });
}

interface FollowedNodes {
  /** The uid of the cluster of these Nodes: a cluster created later with the same name has other Nodes. */
  readonly of: string;
  readonly all: () => readonly NodeResource[];
  readonly stop: () => void;
}

function followNodes(
  uid: string,
  kubeconfig: (signal: AbortSignal) => Promise<string>,
  onChange: () => void,
  ended: AbortSignal,
): FollowedNodes {
  const stopping = new AbortController();
  const signal = AbortSignal.any([ended, stopping.signal]);
  let nodes: WatchedObjects<NodeResource> | undefined;
  const begin = async (): Promise<void> => {
    const kube = connectKubeconfig(await kubeconfig(signal));
    signal.addEventListener('abort', () => void kube.close(), { once: true });
    nodes = watchLabObjects<NodeResource>(kube, '/api/v1/nodes', onChange, signal);
  };
  // The promise rejects only when the watch is stopped.
  void begin().catch(() => undefined);
  return { of: uid, all: () => nodes?.all() ?? [], stop: () => stopping.abort() };
}

/** The kubeconfig of the cluster's administrator, which Cluster API creates shortly after the cluster. */
async function kubeconfigOf(kube: Kube, cluster: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const path = secretPath({ namespace: 'default', name: `${cluster}-kubeconfig` });
    const found = await kube.find(path).catch(() => undefined);
    const text = found === undefined ? undefined : textOf(readSecretObject(found), 'value');
    if (text !== undefined) return text;
    await sleep(RETRY_MS, undefined, { signal });
  }
}
