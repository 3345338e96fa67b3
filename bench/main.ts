import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Lab, LabOptions } from '../lab/lab.ts';
import { interruptSignal } from '../lab/terminal/interrupt.ts';
import { computerFacts, versions } from './computer.ts';
import { cpuBetween, cpuSoFar } from './cpu.ts';
import { runFloor } from './floor.ts';
import { reportText } from './report.ts';
import { assess, type Result, type Round } from './result.ts';
import { inLab, type StartTimes, timeSetup } from './start-times.ts';
import { parkHosts, runTemper, type Trace } from './temper-life.ts';

interface Options {
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

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(text);
};

const options = new Command('bench')
  .description('Measures Temper on the real lab, beside a bare script that drives the same Ironic.')
  .option('--hosts <n>', 'hosts that live at once', wholeNumber, 20)
  .option('--rounds <n>', 'times both are measured', wholeNumber, 1)
  .option(
    '--idle <seconds>',
    'how long provisioned hosts are watched doing nothing, in the first round',
    wholeNumber,
    30,
  )
  .option('--changes <n>', 'changes of single hosts whose way to Ironic is timed, in the first round', wholeNumber, 50)
  .option(
    '--poll-interval <ms>',
    'between two list requests, for Temper; the lab has 400, the floor 300',
    wholeNumber,
    400,
  )
  .option('--online', 'hosts are online without an image too: each is switched on when it is available', false)
  .option('--no-warm-up', 'begin with servers that have served nobody yet')
  .option('--no-second-start', 'do not time a second start of the lab')
  .option('--dir <folder>', 'where the lab keeps everything, and leaves it; default: a temporary folder')
  .option('--json <file>', 'the result as JSON')
  .option('--trace <file>', 'every state of every host and every request to Ironic with its moment, as JSON')
  .parse()
  .opts<Options>();

const parked = { onlineWhenParked: options.online };

/** Hosts that a second start finds, as many as the examples have. */
const PARKED = 5;

const interrupt = interruptSignal();
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const dir = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'temper-bench-')) : resolve(options.dir);
try {
  const result = await bench(dir);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${reportText(result)}\n`);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
} finally {
  if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
}
// A signal may have left work waiting that nobody wants any more.
process.exit();

async function bench(labDir: string): Promise<Result> {
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
    signal: interrupt,
  };
  say('starting the lab');
  const { rounds, first } = await inLab(lab, async (running, took) => ({
    first: took,
    rounds: await unlessInterrupted(measure(running)),
  }));
  const start: StartTimes = { setup, first, ...(options.secondStart && { second: await startAgain(lab) }) };
  const settings = { hosts: options.hosts, rounds: options.rounds, pollIntervalMs: options.pollInterval, ...parked };
  const assessed = assess(settings, rounds, start);
  const date = new Date().toISOString();
  return { date, settings, machine, versions: await versions(), rounds, start, ...assessed };
}

async function measure(lab: Lab): Promise<readonly Round[]> {
  if (options.warmUp) await warmUp(lab);
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
      const { life, trace } = await runTemper({ lab, machines, ...only, ...parked, say });
      traces.push(trace);
      return life;
    };
    // Who comes second finds warmer servers and a longer database: they take turns.
    if (round % 2 === 0) rounds.push({ order: 'floor first', floor: await floor(), temper: await temper() });
    else rounds.push({ order: 'Temper first', temper: await temper(), floor: await floor() });
  }
  if (options.secondStart) await parkHosts(lab, lab.machines.slice(0, PARKED));
  if (options.trace !== undefined) await writeFile(options.trace, JSON.stringify(traces));
  return rounds;
}

/** The floor pays for nothing but Ironic: the proxy is for Temper alone. */
function directly({ endpoints }: Lab): Lab['endpoints'] {
  return { ...endpoints, ironic: endpoints.ironicDirect };
}

async function startAgain(lab: LabOptions): Promise<number> {
  say('a second start');
  return inLab(lab, (_, took) => Promise.resolve(took));
}

/** One host's life on either side: what is loaded at first use is loaded, as it is in a control plane that has run for a day. */
async function warmUp(lab: Lab): Promise<void> {
  say('warming up');
  await Promise.all([
    runFloor({ endpoints: directly(lab), machines: lab.machines.slice(0, 1) }),
    runTemper({ lab, machines: lab.machines.slice(1, 2), idle: 0, changes: 0, ...parked, say: () => undefined }),
  ]);
}

async function unlessInterrupted<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  const interrupted = Promise.withResolvers<never>();
  const onAbort = (): void => interrupted.reject(interrupt.reason as Error);
  if (interrupt.aborted) onAbort();
  interrupt.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, interrupted.promise]);
}
