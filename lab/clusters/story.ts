import { withKube } from '../control-plane/objects.ts';
import { createMissing } from '../hosts/apply.ts';
import type { Lab } from '../lab.ts';
import type { Live } from '../terminal/live.ts';
import { readAddresses, wrongAddresses } from './addresses.ts';
import type { ClusterProgress, MachineProgress } from './cluster-progress.ts';
import { clusterRelocations, EXAMPLE_CLUSTER, exampleCluster, isCluster } from './examples.ts';
import { type FollowedCluster, followCluster } from './follow.ts';
import { networkOfHost } from './machine-of-host.ts';
import { letSystemDie } from './silence.ts';
import { whatToTryOnCluster } from './words.ts';

interface Watching {
  readonly live: Live;
  readonly signal: AbortSignal;
}

/**
 * Applies the example cluster with its hosts; when a new cluster is complete, one worker stops answering and is
 * remediated. Returns when the cluster is complete again, or why it is not.
 */
export async function tellCluster(lab: Lab, { live, signal }: Watching): Promise<readonly string[]> {
  const { kubeconfig } = lab.endpoints;
  for (const { from, to } of clusterRelocations(lab.endpoints)) {
    live.note(`${from} of ${EXAMPLE_CLUSTER} is in use: the cluster is applied with ${to}`);
  }
  const manifests = exampleCluster(lab);
  const name = manifests.find(isCluster)?.metadata.name ?? '';
  const following = followCluster(live, kubeconfig, name);
  const { created } = await createMissing(kubeconfig, manifests);
  const cluster = await following.until(isThere, signal);
  if (!cluster.isThere) return missing(cluster);
  const networks = new Map(
    await Promise.all(cluster.machines.map(async ({ host }) => [host, await networkOfHost(lab, host)] as const)),
  );
  const wrong = wrongAddresses(cluster.machines, networks, ...(await withKube(kubeconfig, readAddresses)));
  if (wrong.length > 0) return wrong;
  if (created.includes(`Cluster/${name}`)) {
    const sick = await remediation(lab, cluster, { live, signal }, following);
    if (sick.length > 0) return sick;
  }
  live.note(whatToTryOnCluster(name, lab));
  return [];
}

const isThere = (cluster: ClusterProgress): boolean => cluster.isThere;

/**
 * Makes a worker stop answering; its health check then has it rebooted. Returns why it has not become healthy again.
 */
async function remediation(
  lab: Lab,
  cluster: ClusterProgress,
  { live, signal }: Watching,
  following: FollowedCluster,
): Promise<readonly string[]> {
  const worker = cluster.machines.find(({ role }) => role === 'worker');
  if (worker === undefined) return ['the cluster has no worker that could be remediated'];
  const { name, host } = worker;
  await letSystemDie(lab, host);
  live.note(
    `The system of ${host} hangs. The Node of ${name} falls silent, and its health check has the host rebooted.`,
  );
  const isRemediated = ({ machines }: ClusterProgress): boolean =>
    machines.some((machine) => machine.name === name && machine.isRemediated);
  if (!isRemediated(await following.until(isRemediated, signal))) return [`${name}: silent, and not remediated`];
  // The health check removes the Metal3Remediation once it has seen the Node.
  const isWell = ({ phase, node, isRemediated: sick }: MachineProgress): boolean =>
    phase === 'Running' && node !== '' && !sick;
  const isOver = ({ machines }: ClusterProgress): boolean =>
    machines.every((machine) => machine.name !== name || isWell(machine));
  const after = await following.until(isOver, signal);
  if (!isOver(after)) return missing(after);
  if (!after.machines.some((machine) => machine.name === name)) return [`${name}: replaced instead of rebooted`];
  live.note(`${name} is back on ${host}.`);
  return [];
}

function missing({ controlPlane, workers, machines }: ClusterProgress): readonly string[] {
  return [
    `cluster: control plane ${controlPlane}, workers ${workers}`,
    ...machines
      .filter(({ waitsFor }) => waitsFor !== '')
      .map(({ name: machine, phase, waitsFor }) => `${machine}: ${phase}, ${waitsFor}`),
  ];
}
