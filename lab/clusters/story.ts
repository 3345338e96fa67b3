import { createMissing } from '../hosts/apply.ts';
import type { Lab } from '../lab.ts';
import type { Live } from '../terminal/live.ts';
import { clusterRelocations, EXAMPLE_CLUSTER, exampleCluster, isCluster } from './examples.ts';
import { followCluster } from './follow.ts';
import { whatToTryOnCluster } from './words.ts';

/** Applies the example cluster with its hosts. Returns when it is complete, or why it is not. */
export async function tellCluster(
  lab: Lab,
  { live, signal }: { readonly live: Live; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { kubeconfig } = lab.endpoints;
  for (const { from, to } of clusterRelocations(lab.endpoints)) {
    live.note(`${from} of ${EXAMPLE_CLUSTER} is in use: the cluster is applied with ${to}`);
  }
  const manifests = exampleCluster(lab);
  const name = manifests.find(isCluster)?.metadata.name ?? '';
  const following = followCluster(live, kubeconfig, name);
  await createMissing(kubeconfig, manifests);
  const cluster = await following.settled(signal);
  if (cluster.isThere) {
    live.note(whatToTryOnCluster(name, lab));
    return [];
  }
  const waiting = cluster.machines.filter(({ waitsFor }) => waitsFor !== '');
  return [
    `cluster ${name}: control plane ${cluster.controlPlane}, workers ${cluster.workers}`,
    ...waiting.map(({ name: machine, phase, waitsFor }) => `${machine}: ${phase}, ${waitsFor}`),
  ];
}
