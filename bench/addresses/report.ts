import { readFileSync } from 'node:fs';
import Table from 'cli-table3';
import { z } from 'zod';
import { PLAIN } from '../report.ts';
import type { Allocation } from './allocate.ts';

/** What another controller needed for the same work, with figures that were recorded once (docs/bench.md). */
const recorded = z.strictObject({
  controller: z.string(),
  settings: z.string(),
  computer: z.string(),
  claims: z.number(),
  atOnce: z.strictObject({ seconds: z.number() }),
  /** This part did not end while it was watched. */
  replaced: z.strictObject({ watchedSeconds: z.number(), addressesLeft: z.number() }),
  /** CPU seconds of both parts together. */
  cpu: z.record(z.string(), z.number()),
});

/** The recorded result of ip-address-manager, for comparison. */
export function upstreamReport(file = new URL('upstream.json', import.meta.url)): string {
  const read = recorded.parse(JSON.parse(readFileSync(file, 'utf8')));
  const { controller, settings, computer, claims, atOnce, replaced, cpu } = read;
  const table = new Table({ head: ['', 'all at once', 'as many replaced'], style: PLAIN });
  table.push(['seconds', atOnce.seconds.toFixed(1), `not ended after ${replaced.watchedSeconds}`]);
  table.push(['IPAddresses at the end', claims, replaced.addressesLeft]);
  for (const [name, seconds] of Object.entries(cpu)) table.push([`CPU s, ${name}`, { colSpan: 2, content: seconds }]);
  return `Recorded: ${controller}, ${claims} claims, ${settings}; ${computer}\n\n${table.toString()}`;
}

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
