import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { commitOf, computerFacts, versions } from '../computer.ts';
import { type Bench, wholeNumber } from '../options.ts';
import { inFleetLab } from './fleet-lab.ts';
import { type FleetLife, runFleet } from './life.ts';
import { type FleetResult, fleetReport } from './report.ts';

interface Options {
  readonly hosts: number;
  readonly rounds: number;
  readonly rest: number;
  readonly other?: string;
  readonly dir?: string;
  readonly json?: string;
}

const HERE = fileURLToPath(new URL('../..', import.meta.url));

/** Many hosts at once on the fixture, to measure Temper's own cost. */
export function addFleetCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('fleet')
    .description(
      'The cost of many hosts: seconds, CPU by process, memory, Temporal events; on the fixture, without Ironic.',
    )
    .option('--hosts <n>', 'number of hosts at the same time', wholeNumber, 500)
    .option('--rounds <n>', 'measurements of each checkout', wholeNumber, 1)
    .option('--rest <seconds>', 'seconds of rest at the end', wholeNumber, 60)
    .option('--other <checkout>', 'another checkout, with its packages installed, to measure in turn with this one')
    .option('--dir <folder>', 'folder of the labs, which is kept; default: a temporary folder')
    .option('--json <file>', 'the result as JSON')
    .action((options: Options) =>
      inFolder(options.dir, async (dir) => {
        const result = await bench(dir, options);
        if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
        process.stdout.write(`${fleetReport(result)}\n`);
      }),
    );

  async function bench(dir: string, { hosts, rounds, rest, other }: Options): Promise<FleetResult> {
    const machine = computerFacts();
    const here: FleetLife[] = [];
    const there: FleetLife[] = [];
    const measure = async (root: string, name: string): Promise<FleetLife> => {
      interrupt.throwIfAborted();
      say(`${name}: ${root}`);
      const checkout = { root, dir: join(dir, name.replaceAll(' ', '-')) };
      return inFleetLab(checkout, interrupt, (lab) => runFleet(lab, { hosts, rest, say }));
    };
    for (let round = 1; round <= rounds; round++) {
      here.push(await measure(HERE, `round ${round} here`));
      if (other !== undefined) there.push(await measure(resolve(other), `round ${round} other`));
    }
    return {
      date: new Date().toISOString(),
      hosts,
      machine,
      versions: await versions(),
      here,
      ...(other !== undefined && { other: { commit: await commitOf(resolve(other)), lives: there } }),
    };
  }
}
