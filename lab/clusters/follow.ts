import type { Live } from '../terminal/live.ts';
import { type ClusterProgress, clusterProgress, type MachineProgress } from './cluster-progress.ts';
import { clusterLine, clusterTable } from './table.ts';
import { watchCluster } from './watch.ts';

export interface FollowedCluster {
  /** Returns when this holds, or when the signal aborts. */
  until(isSo: (cluster: ClusterProgress) => boolean, signal: AbortSignal): Promise<ClusterProgress>;
}

/** Shows a cluster of the default namespace while somebody watches. */
export function followCluster(live: Live, kubeconfig: string, name: string): FollowedCluster {
  let shown = clusterProgress({ cluster: undefined, machines: [], metal3Machines: [], remediations: [], nodes: [] });
  const changed = live.table(({ columns }) => clusterTable(name, shown, columns));
  const look = (): void => {
    const before = shown;
    shown = clusterProgress(objects());
    for (const line of changes(name, shown, before)) changed(line);
  };
  const objects = watchCluster(kubeconfig, name, look, live.ended);
  return {
    until: async (isSo, signal) => {
      await live.until(() => isSo(shown), signal);
      return shown;
    },
  };
}

function changes(name: string, now: ClusterProgress, before: ClusterProgress): readonly string[] {
  const line = clusterLine(name, now);
  const known = new Map(before.machines.map((machine) => [machine.name, lineOf(machine)]));
  return [
    ...(line === clusterLine(name, before) ? [] : [line]),
    ...now.machines.filter((machine) => known.get(machine.name) !== lineOf(machine)).map(lineOf),
    ...before.machines
      .filter((one) => !now.machines.some((machine) => machine.name === one.name))
      .map(({ name: gone }) => `${gone}  gone`),
  ];
}

function lineOf({ name, role, phase, host, node, address, waitsFor }: MachineProgress): string {
  const parts = [
    role,
    phase === '' ? 'new' : phase,
    ...(host === '' ? [] : [`on ${host}`]),
    ...(node === '' ? [] : [`node ${node} ready at ${address}`]),
  ];
  return `${name}  ${parts.join(', ')}${waitsFor === '' ? '' : `: ${waitsFor}`}`;
}
