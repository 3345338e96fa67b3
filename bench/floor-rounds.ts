import { writeFile } from 'node:fs/promises';
import { type ListedMachine, listed } from '../lab/detached/lab-machines.ts';
import type { Lab, LabOptions } from '../lab/lab.ts';
import { computerFacts, versions } from './computer.ts';
import { cpuBetween, cpuSoFar } from './cpu.ts';
import { runFloor } from './floor.ts';
import type { Bench } from './options.ts';
import { assessRounds, type Result, type Round } from './result.ts';
import { inLab, type StartTimes, timeSetup } from './start-times.ts';
import { parkHosts, runTemper, type Trace } from './temper-life.ts';

export interface FloorOptions {
  /** Another checkout, which is measured instead of the floor. */
  readonly other?: string;
  readonly hosts: number;
  readonly rounds: number;
  readonly idle: number;
  readonly changes: number;
  readonly pollInterval: number;
  readonly online: boolean;
  readonly warmUp: boolean;
  readonly secondStart: boolean;
  readonly dir?: string;
  readonly json?: string;
  readonly trace?: string;
}

type Run = FloorOptions & Pick<Bench, 'interrupt' | 'say'>;

const parkedOf = ({ online }: FloorOptions): { readonly onlineWhenParked: boolean } => ({ onlineWhenParked: online });

/** Hosts at the second start, as many as in the examples. */
const PARKED = 5;

/** Both sides in one lab, round by round, and a second start of the lab. */
export async function benchBesideFloor(labDir: string, options: Run): Promise<Result> {
  const { say } = options;
  const machine = computerFacts();
  const setup = await timeSetup();
  const lab: LabOptions = {
    dir: labDir,
    // The warm-up has two hosts.
    machines: Math.max(options.hosts, 2),
    temper: true,
    proxy: true,
    preferredPorts: false,
    temperEnv: { IRONIC_POLL_INTERVAL: String(options.pollInterval) },
    signal: options.interrupt,
  };
  say('starting the lab');
  const { rounds, first } = await inLab(lab, async (running, took) => ({
    first: took,
    rounds: await unlessInterrupted(measure(running, options), options.interrupt),
  }));
  const start: StartTimes = { setup, first, ...(options.secondStart && { second: await startAgain(lab, say) }) };
  const settings = {
    hosts: options.hosts,
    rounds: options.rounds,
    pollIntervalMs: options.pollInterval,
    ...parkedOf(options),
  };
  const assessed = assessRounds(settings, rounds, start);
  const date = new Date().toISOString();
  return { date, settings, machine, versions: await versions(), rounds, start, ...assessed };
}

async function measure(lab: Lab, options: Run): Promise<readonly Round[]> {
  const { say } = options;
  const parked = parkedOf(options);
  if (options.warmUp) await warmUp(lab, options);
  const machines = lab.machines.slice(0, options.hosts);
  const rounds: Round[] = [];
  const traces: Trace[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const floor = async (): Promise<Round['floor']> => {
      say(`round ${round + 1}: the floor`);
      const before = await cpuSoFar(lab);
      const result = await runFloor({ endpoints: directly(lab), machines });
      const cpu = cpuBetween(before, await cpuSoFar(lab));
      const { enrollToInspected, provideAndDeploy, undeploy } = result;
      say(`  ${[enrollToInspected, provideAndDeploy, undeploy].map((took) => `${took.toFixed(1)} s`).join(', ')}`);
      return { ...result, cpu };
    };
    const temper = async (): Promise<Round['temper']> => {
      say(`round ${round + 1}: Temper`);
      const only = round === 0 ? { idle: options.idle, changes: options.changes } : { idle: 0, changes: 0 };
      const { life, trace } = await runTemper({ lab, machines: listedOf(lab, machines), ...only, ...parked, say });
      traces.push(trace);
      return life;
    };
    // The side that runs second finds warmer servers and a larger database, so the sides alternate.
    if (round % 2 === 0) rounds.push({ order: 'floor first', floor: await floor(), temper: await temper() });
    else rounds.push({ order: 'Temper first', temper: await temper(), floor: await floor() });
  }
  if (options.secondStart) await parkHosts(lab, listedOf(lab, lab.machines.slice(0, PARKED)));
  if (options.trace !== undefined) await writeFile(options.trace, JSON.stringify(traces));
  return rounds;
}

const listedOf = ({ endpoints }: Lab, machines: Lab['machines']): readonly ListedMachine[] =>
  machines.map((machine) => listed(machine, endpoints));

/** The script calls Ironic directly: only Temper goes through the proxy. */
function directly({ endpoints }: Lab): Lab['endpoints'] {
  return { ...endpoints, ironic: endpoints.ironicDirect };
}

async function startAgain(lab: LabOptions, say: Bench['say']): Promise<number> {
  say('a second start');
  return inLab(lab, (_, took) => Promise.resolve(took));
}

/** The life of one host on either side, so that everything is loaded, as in a control plane that has run for a day. */
async function warmUp(lab: Lab, options: Run): Promise<void> {
  options.say('warming up');
  await Promise.all([
    runFloor({ endpoints: directly(lab), machines: lab.machines.slice(0, 1) }),
    runTemper({
      lab,
      machines: listedOf(lab, lab.machines.slice(1, 2)),
      idle: 0,
      changes: 0,
      ...parkedOf(options),
      say: () => undefined,
    }),
  ]);
}

async function unlessInterrupted<T>(work: Promise<T>, interrupt: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  const interrupted = Promise.withResolvers<never>();
  const onAbort = (): void => interrupted.reject(interrupt.reason as Error);
  if (interrupt.aborted) onAbort();
  interrupt.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, interrupted.promise]);
}
