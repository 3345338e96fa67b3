import Table from 'cli-table3';
import { compared } from '../compared.ts';
import type { ComputerFacts } from '../computer.ts';
import { figuresTable, heading, PLAIN, targetsTable } from '../report.ts';
import { figuresOf, fleetTargets } from './figures.ts';
import type { FleetLife } from './life.ts';

export interface FleetResult {
  readonly date: string;
  readonly hosts: number;
  readonly machine: ComputerFacts;
  readonly versions: Readonly<Record<string, string>>;
  /** The lives by round. */
  readonly here: readonly FleetLife[];
  readonly other?: { readonly commit: string; readonly lives: readonly FleetLife[] };
}

/** The result as tables. */
export function fleetReport({ hosts, machine, versions, here, other }: FleetResult): string {
  const figures = (lives: readonly FleetLife[]) => lives.map((life) => figuresOf(life, hosts));
  const all = compared(figures(here), figures(other?.lives ?? []));
  const lives = [here, other?.lives ?? []].flatMap(([first]) => (first === undefined ? [] : [first]));
  const versionsOfBoth = { ...versions, ...(other !== undefined && { other: other.commit }) };
  const parts = [
    `${hosts} hosts of the fixture, ${here.length} round(s)\n${heading(machine, versionsOfBoth)}`,
    figuresTable(all),
    perHostTable(
      'in Temporal, a host',
      lives.map(({ history }) => history.kinds),
      hosts,
    ),
    perHostTable(
      'requests to the API server, a host',
      lives.map(({ apiRequests }) => apiRequests),
      hosts,
    ),
    targetsTable(fleetTargets(all)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A rarer event belongs to shared workflows, not to the life of a host. */
const LEAST = 0.05;

/** Events for each host in the first round, of this checkout and of the other. */
function perHostTable(title: string, sides: readonly Readonly<Record<string, number>>[], hosts: number): string {
  const table = new Table({ head: [title, 'here', ...(sides.length > 1 ? ['other'] : [])], style: PLAIN });
  for (const kind of new Set(sides.flatMap((side) => Object.keys(side)))) {
    const perHost = sides.map((side) => (side[kind] ?? 0) / hosts);
    if (Math.max(...perHost) >= LEAST) table.push([kind, ...perHost.map((count) => count.toFixed(2))]);
  }
  return table.toString();
}
