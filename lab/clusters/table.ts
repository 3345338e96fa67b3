import Table from 'cli-table3';
import type { ClusterProgress } from './cluster-progress.ts';

/**
 * The cluster as a table: one line for the cluster and one for each of its machines, with what the machine waits for.
 */
export function clusterTable(name: string, cluster: ClusterProgress, width: number = 120): string {
  const head = ['MACHINE', 'ROLE', 'PHASE', 'HOST', 'NODE', 'WAITS FOR'];
  const rows = cluster.machines.map(({ name: machine, role, phase, host, node, waitsFor }) => [
    machine,
    role,
    phase,
    host,
    node === '' ? '' : `✔ ${node}`,
    waitsFor,
  ]);
  const taken = head
    .slice(0, -1)
    .reduce((sum, title, at) => sum + 3 + Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)), 0);
  const table = new Table({
    head,
    style: { head: [], border: [], compact: true },
    colWidths: [null, null, null, null, null, Math.max(width - taken - 2, 20)],
  });
  table.push(...rows);
  return `${clusterLine(name, cluster)}\n${table.toString()}`;
}

export const clusterLine = (name: string, { phase, endpoint, controlPlane, workers }: ClusterProgress): string =>
  `cluster ${name}  ${[phase, `control plane ${controlPlane}`, `workers ${workers}`, endpoint].filter((part) => part !== '').join(', ')}`;
