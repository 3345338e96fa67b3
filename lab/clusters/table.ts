import { tableText } from '../terminal/table.ts';
import type { ClusterProgress } from './cluster-progress.ts';

/**
 * The cluster as a table: one line for the cluster and one for each of its machines, with what the machine waits for.
 */
export function clusterTable(name: string, cluster: ClusterProgress, width: number = 120): string {
  const head = ['MACHINE', 'ROLE', 'PHASE', 'HOST', 'NODE', 'ADDRESS', 'WAITS FOR'];
  const rows = cluster.machines.map(({ name: machine, role, phase, host, node, address, waitsFor }) => [
    machine,
    role,
    phase,
    host,
    node === '' ? '' : `✔ ${node}`,
    address,
    waitsFor,
  ]);
  return `${clusterLine(name, cluster)}\n${tableText(head, rows, { width, wordWrap: false })}`;
}

export const clusterLine = (name: string, { phase, endpoint, controlPlane, workers }: ClusterProgress): string =>
  `cluster ${name}  ${[phase, `control plane ${controlPlane}`, `workers ${workers}`, endpoint].filter((part) => part !== '').join(', ')}`;
