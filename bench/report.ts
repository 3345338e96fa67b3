import Table from 'cli-table3';
import type { Figure } from './compared.ts';
import type { CpuSeconds } from './cpu.ts';
import type { Phases } from './reference.ts';
import { referenceOf } from './reference.ts';
import { type BenchTarget, floorSpread, pairedSpread, type Result, temperSpread, toProvisioned } from './result.ts';
import { spread, spreadText } from './spread.ts';

const ROWS: readonly { readonly name: string; readonly of: (phases: Phases) => number }[] = [
  { name: 'apply → available', of: ({ available }) => available },
  { name: 'image set → provisioned', of: ({ provisioned }) => provisioned },
  { name: 'image removed → available', of: ({ availableAgain }) => availableAgain },
  { name: 'apply → available → provisioned', of: toProvisioned },
];

export const PLAIN = { head: [], border: [], compact: true };

/** The result as text and tables. */
export const reportText = (result: Result): string =>
  [
    settingsText(result),
    timesTable(result),
    floorNote(result),
    requestsTable(result),
    cpuTable(result),
    startNote(result),
    targetsTable(result.targets),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

const settingsText = ({ settings, machine, versions }: Result): string =>
  [
    `${count(settings.hosts, 'host')}, ${count(settings.rounds, 'round')}, ` +
      `one list request every ${settings.pollIntervalMs / 1_000} s` +
      (settings.onlineWhenParked ? ', hosts powered on while available' : ''),
    heading(machine, versions),
  ].join('\n');

/** Computer and versions of the measurement. */
export const heading = (machine: Result['machine'], versions: Result['versions']): string =>
  [
    `${count(machine.cores, 'core')} (${machine.cpu}), ${machine.memoryGiB} GiB, ${machine.system}, ` +
      `load before ${machine.loadBefore.toFixed(2)}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  ].join('\n');

function timesTable({ rounds, settings, floorVerdict }: Result): string {
  const reference = referenceOf(settings.hosts);
  const table = new Table({
    head: ['seconds, min / median / max', 'reference', 'floor', 'Temper', 'Temper / floor', 'Temper − floor'],
    style: PLAIN,
  });
  const compared = floorVerdict.kind !== 'too slow';
  for (const { name, of } of ROWS) {
    table.push([
      name,
      reference === undefined ? '' : of(reference).toFixed(1),
      spreadText(floorSpread(rounds, of)),
      spreadText(temperSpread(rounds, of)),
      compared
        ? spreadText(
            pairedSpread(rounds, of, (temper, floor) => temper / floor),
            3,
          )
        : 'not claimed',
      compared
        ? spreadText(
            pairedSpread(rounds, of, (temper, floor) => temper - floor),
            2,
          )
        : 'not claimed',
    ]);
  }
  table.push([
    'deleted → gone',
    '',
    spreadText(spread(rounds.map(({ floor }) => floor.remove))),
    spreadText(spread(rounds.map(({ temper }) => temper.gone.seconds))),
    '',
    '',
  ]);
  return table.toString();
}

function floorNote({ floorVerdict }: Result): string {
  switch (floorVerdict.kind) {
    case 'floor':
      return 'The floor is valid: no phase is more than 20 % slower than the reference.';
    case 'too slow':
      return `Baseline too slow (busy computer): ratio not reported:\n  ${floorVerdict.reasons.join('\n  ')}`;
    case 'unknown':
      return 'There is no reference for this number of hosts: the floor is not verified.';
  }
}

function requestsTable({ rounds, settings }: Result): string {
  const [first] = rounds;
  if (first === undefined) return '';
  const { available, provisioned, availableAgain, gone, idle } = first.temper;
  const phases = [available, provisioned, availableAgain, gone].map(({ requests }) => requests);
  const kinds = [...new Set(phases.flatMap(({ kinds }) => Object.keys(kinds)))];
  const perHost = (requests: number): string => (requests / settings.hosts).toFixed(2);
  const row = (name: string, counts: readonly number[]): string[] => [
    name,
    ...counts.map(perHost),
    perHost(counts.reduce((sum, each) => sum + each, 0)),
  ];
  const table = new Table({
    head: ['requests to Ironic per host, first round', '→ available', '→ provisioned', '→ available', '→ gone', 'life'],
    style: PLAIN,
  });
  for (const kind of kinds) {
    table.push(
      row(
        kind,
        phases.map(({ kinds: counts }) => counts[kind] ?? 0),
      ),
    );
  }
  table.push(
    row(
      'all',
      phases.map(({ total }) => total),
    ),
  );
  const lines = [table.toString(), `The floor took ${first.floor.requestsPerHost} requests per host.`];
  if (idle !== undefined) {
    lines.push(
      `With all hosts provisioned and nothing to do: ${idle.requests.total} requests in ${idle.seconds} s, ` +
        `${((idle.requests.total * 60) / idle.seconds).toFixed(1)} a minute for all ${settings.hosts} together.`,
    );
  }
  return lines.join('\n');
}

/** CPU time of all processes: on two cores, Temper and Ironic compete for them. */
function cpuTable({ rounds, settings }: Result): string {
  const [first] = rounds;
  if (first === undefined || Object.keys(first.temper.cpu).length === 0) return '';
  const table = new Table({ head: ['CPU seconds per host, whole life, first round', 'floor', 'Temper'], style: PLAIN });
  const perHost = (used: number): string => (used / settings.hosts).toFixed(2);
  for (const name of Object.keys(first.temper.cpu).toSorted()) {
    table.push([name, perHost(first.floor.cpu[name] ?? 0), perHost(first.temper.cpu[name] ?? 0)]);
  }
  const all = (cpu: CpuSeconds): number => Object.values(cpu).reduce((sum, used) => sum + used, 0);
  table.push(['all', perHost(all(first.floor.cpu)), perHost(all(first.temper.cpu))]);
  return table.toString();
}

const startNote = ({ start }: Result): string =>
  start.second === undefined
    ? ''
    : `Start of the lab until every part is ready: ${start.first.toFixed(1)} s in a new folder, ` +
      `${start.second.toFixed(1)} s again; before it ${start.setup.toFixed(1)} s to check that everything is installed.`;

/** Figures of this checkout and of another one. */
export function figuresTable(figures: readonly Figure[]): string {
  const table = new Table({ head: ['', 'here', 'other', 'here / other, min / median / max'], style: PLAIN });
  for (const { name, here, other, ratio } of figures) {
    table.push([
      name,
      here.toFixed(1),
      other?.toFixed(1) ?? '',
      ratio === undefined || Number.isNaN(ratio.median) ? '' : spreadText(ratio, 2),
    ]);
  }
  return table.toString();
}

export function targetsTable(targets: readonly BenchTarget[]): string {
  const table = new Table({ head: ['target', '', 'measured', ''], style: PLAIN });
  for (const { name, target, measured, met } of targets) table.push([name, target, measured, verdict(met)]);
  return table.toString();
}

const verdict = (met: BenchTarget['met']): string => (met === undefined ? 'cannot tell' : met ? 'met' : 'MISSED');

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
