import type { ComputerFacts } from './computer.ts';
import type { CpuSeconds } from './cpu.ts';
import type { Floor } from './floor.ts';
import { type FloorVerdict, floorPhases, judgeFloor, PHASES, type Phases } from './reference.ts';
import { type Spread, spread } from './spread.ts';
import type { StartTimes } from './start-times.ts';
import type { TemperLife } from './temper-life.ts';

/** The same machines, used once by the script and once by Temper. */
export interface Round {
  readonly order: 'floor first' | 'Temper first';
  readonly floor: Floor & { readonly cpu: CpuSeconds };
  readonly temper: TemperLife;
}

export interface BenchSettings {
  readonly hosts: number;
  readonly rounds: number;
  readonly pollIntervalMs: number;
  readonly onlineWhenParked: boolean;
}

export interface BenchTarget {
  readonly name: string;
  readonly target: string;
  readonly measured: string;
  /** Undefined: this run cannot decide it. */
  readonly met: boolean | undefined;
}

export interface Result {
  readonly date: string;
  readonly settings: BenchSettings;
  readonly machine: ComputerFacts;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: readonly Round[];
  readonly floorVerdict: FloorVerdict;
  /** Temper divided by the floor, for each round. Valid only when the verdict is `floor`. */
  readonly ratio: Readonly<Record<keyof Phases | 'toProvisioned', Spread>>;
  readonly start: StartTimes;
  readonly targets: readonly BenchTarget[];
}

export const temperPhases = ({ available, provisioned, availableAgain }: TemperLife): Phases => ({
  available: available.seconds,
  provisioned: provisioned.seconds,
  availableAgain: availableAgain.seconds,
});

/** From the creation to a deployed image: the subject of the speed target. */
export const toProvisioned = ({ available, provisioned }: Phases): number => available + provisioned;

export const floorSpread = (rounds: readonly Round[], of: (phases: Phases) => number): Spread =>
  spread(rounds.map(({ floor }) => of(floorPhases(floor))));

export const temperSpread = (rounds: readonly Round[], of: (phases: Phases) => number): Spread =>
  spread(rounds.map(({ temper }) => of(temperPhases(temper))));

/** Each round's Temper with the floor of the same round. */
export const pairedSpread = (
  rounds: readonly Round[],
  of: (phases: Phases) => number,
  compare: (temper: number, floor: number) => number,
): Spread => spread(rounds.map(({ floor, temper }) => compare(of(temperPhases(temper)), of(floorPhases(floor)))));

const over = (temper: number, floor: number): number => temper / floor;
const more = (temper: number, floor: number): number => temper - floor;

const RATIO = 1.1;
const LONE_HOST_SECONDS = 1.5;
const REQUESTS_PER_HOST = 25;
const SECOND_START_SECONDS = 30;
const RESPONSE_MS = { p50: 100, p99: 500 };

export const assessRounds = (
  settings: BenchSettings,
  rounds: readonly Round[],
  start: StartTimes,
): Pick<Result, 'floorVerdict' | 'ratio' | 'targets'> => {
  const phases = Object.fromEntries(
    PHASES.map((phase) => [phase, floorSpread(rounds, (all) => all[phase]).median]),
  ) as unknown as Phases;
  const floorVerdict = judgeFloor(settings.hosts, phases);
  const ratioOf = (of: (phases: Phases) => number): Spread => pairedSpread(rounds, of, over);
  return {
    floorVerdict,
    ratio: {
      available: ratioOf(({ available }) => available),
      provisioned: ratioOf(({ provisioned }) => provisioned),
      availableAgain: ratioOf(({ availableAgain }) => availableAgain),
      toProvisioned: ratioOf(toProvisioned),
    },
    targets: [
      speedTarget(settings, rounds, floorVerdict.kind === 'floor'),
      requestsTarget(settings, rounds),
      ...responseTarget(rounds),
      ...(start.second === undefined ? [] : [startTarget(start.second + start.setup)]),
    ],
  };
};

function speedTarget({ hosts }: BenchSettings, rounds: readonly Round[], isFloor: boolean): BenchTarget {
  const name = 'apply to all provisioned';
  const judged = (met: boolean): boolean | undefined => (isFloor ? met : undefined);
  if (hosts === 1) {
    const { median } = pairedSpread(rounds, toProvisioned, more);
    const target = `at most ${LONE_HOST_SECONDS} s more than the floor`;
    return { name, target, measured: `${median.toFixed(2)} s over it`, met: judged(median <= LONE_HOST_SECONDS) };
  }
  const { median } = pairedSpread(rounds, toProvisioned, over);
  const target = `at most ${RATIO.toFixed(2)} times the floor`;
  return { name, target, measured: `${median.toFixed(3)} times`, met: judged(median <= RATIO) };
}

/**
 * Only judged for the number of hosts in the target: list requests are shared, so a single host pays for every tick
 * itself.
 */
function requestsTarget({ hosts }: BenchSettings, rounds: readonly Round[]): BenchTarget {
  const median = (of: (life: TemperLife) => number): number => spread(rounds.map(({ temper }) => of(temper))).median;
  const total = median(({ requestsPerHost }) => requestsPerHost);
  const own = median(({ ownRequestsPerHost }) => ownRequestsPerHost);
  return {
    name: 'requests to Ironic per host, whole life',
    target: `at most ${REQUESTS_PER_HOST} (20 hosts)`,
    measured: `${total.toFixed(1)}, ${own.toFixed(1)} of them not shared`,
    met: hosts === 20 ? total <= REQUESTS_PER_HOST : undefined,
  };
}

function responseTarget([first]: readonly Round[]): readonly BenchTarget[] {
  const response = first?.temper.response;
  if (response === undefined) return [];
  const { changes, p50, p99, max } = response;
  return [
    {
      name: 'change of a host to first request',
      target: `p50 at most ${RESPONSE_MS.p50} ms, p99 at most ${RESPONSE_MS.p99} ms`,
      measured: `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms of ${changes}`,
      met: p50 <= RESPONSE_MS.p50 && p99 <= RESPONSE_MS.p99,
    },
  ];
}

const startTarget = (took: number): BenchTarget => ({
  name: 'second start',
  target: `under ${SECOND_START_SECONDS} s`,
  measured: `${took.toFixed(1)} s`,
  met: took < SECOND_START_SECONDS,
});
