import Table from 'cli-table3';
import { PLAIN } from '../report.ts';
import type { Allocation } from './allocate.ts';

/** The result as a table: one row for each process. */
export function addressesReport({ atOnce, stream, memory }: Allocation): string {
  const phases = [atOnce, stream];
  const table = new Table({ head: ['', 'all at once', 'as many replaced', 'MB at the end'], style: PLAIN });
  table.push(['seconds', ...phases.map((phase) => phase.seconds.toFixed(1)), '']);
  for (const name of new Set(phases.flatMap(({ cpu }) => Object.keys(cpu)))) {
    const used = phases.map(({ cpu }) => (cpu[name] ?? 0).toFixed(1));
    table.push([`CPU s, ${name}`, ...used, memory[name] ?? '']);
  }
  return table.toString();
}
