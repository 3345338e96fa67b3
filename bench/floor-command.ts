import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkoutsReport } from './checkouts/report.ts';
import { benchBesideOther } from './checkouts/rounds.ts';
import { benchBesideFloor, type FloorOptions } from './floor-rounds.ts';
import { type Bench, wholeNumber } from './options.ts';
import { reportText } from './report.ts';

/** Temper compared with a script: the default measurement. */
export function addFloorCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('floor', { isDefault: true })
    .description(
      'Temper with real Ironic, compared with a script that calls the same Ironic directly, or with another checkout.',
    )
    .option('--other <checkout>', 'another checkout, with its packages installed, to measure instead of the script')
    .option('--hosts <n>', 'number of hosts at the same time', wholeNumber, 20)
    .option('--rounds <n>', 'measurements of both sides', wholeNumber, 1)
    .option(
      '--idle <seconds>',
      'seconds during which idle provisioned hosts are observed, in the first round',
      wholeNumber,
      30,
    )
    .option(
      '--changes <n>',
      'changes of single hosts whose response time is measured, in the first round',
      wholeNumber,
      50,
    )
    .option(
      '--poll-interval <ms>',
      'pause between two list requests of Temper; 400 in the lab, 300 for the floor',
      wholeNumber,
      400,
    )
    .option('--online', 'hosts are online without an image too, so each is powered on when it is available', false)
    .option('--no-warm-up', 'do not warm up the servers first')
    .option('--no-second-start', 'do not measure a second start of the lab')
    .option('--dir <folder>', 'folder of the lab, which is kept; default: a temporary folder')
    .option('--json <file>', 'the result as JSON')
    .option('--trace <file>', 'all states of all hosts and all requests to Ironic with their times, as JSON')
    .action((options: FloorOptions) =>
      inFolder(options.dir, async (dir) => {
        const run = { ...options, interrupt, say };
        const { other } = options;
        if (other === undefined) {
          const result = await benchBesideFloor(dir, run);
          await report(result, reportText(result), options);
        } else {
          const result = await benchBesideOther(dir, { ...run, other });
          await report(result, checkoutsReport(result), options);
        }
      }),
    );
}

async function report(result: object, text: string, { json }: FloorOptions): Promise<void> {
  if (json !== undefined) await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${text}\n`);
}
