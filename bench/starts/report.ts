import { compared, type Figure, type Figures } from '../compared.ts';
import type { ComputerFacts } from '../computer.ts';
import { figuresTable, heading, targetsTable } from '../report.ts';
import type { BenchTarget } from '../result.ts';
import { PROCESSES } from './tree.ts';

export interface StartsResult {
  readonly date: string;
  readonly machine: ComputerFacts;
  readonly versions: Readonly<Record<string, string>>;
  /** CPU milliseconds by what was started, by round. */
  readonly here: readonly Figures[];
  readonly other: readonly Figures[];
}

/** The start of a process may cost so much of what it costs in the other checkout. */
const RATIO = 0.6;

export function startsReport({ machine, versions, here, other }: StartsResult): string {
  const figures = compared(here, other);
  return [
    `CPU milliseconds of a start, ${here.length} of each checkout\n${heading(machine, versions)}`,
    figuresTable(figures),
    ...(other.length === 0 ? [] : [targetsTable(startsTargets(figures))]),
  ].join('\n\n');
}

/** The medians of both checkouts are compared: starts of one checkout differ less than loads of a computer do. */
export const startsTargets = (figures: readonly Figure[]): readonly BenchTarget[] =>
  figures
    .filter(({ name }) => PROCESSES.some((process) => name.startsWith(process)))
    .map(({ name, here, other = Number.NaN }) => ({
      name,
      target: `at most ${RATIO} times the other`,
      measured: `${(here / other).toFixed(2)} times`,
      met: here / other <= RATIO,
    }));
