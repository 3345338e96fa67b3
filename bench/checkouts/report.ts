import { compared } from '../compared.ts';
import type { ComputerFacts } from '../computer.ts';
import { figuresTable, heading, targetsTable } from '../report.ts';
import { type IronicLife, ironicFigures, ironicTargets } from './figures.ts';

export interface CheckoutsResult {
  readonly date: string;
  readonly hosts: number;
  readonly machine: ComputerFacts;
  readonly versions: Readonly<Record<string, string>>;
  /** The lives by round. */
  readonly here: readonly IronicLife[];
  readonly other: readonly IronicLife[];
}

export function checkoutsReport({ hosts, machine, versions, here, other }: CheckoutsResult): string {
  const figures = (lives: readonly IronicLife[]) => lives.map((life) => ironicFigures(life, hosts));
  const all = compared(figures(here), figures(other));
  return [
    `${hosts} host(s) on real Ironic, ${here.length} round(s) of each checkout\n${heading(machine, versions)}`,
    figuresTable(all),
    targetsTable(ironicTargets(all)),
  ].join('\n\n');
}
