import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { benchBesideFloor, type FloorOptions } from './floor-rounds.ts';
import { type Bench, wholeNumber } from './options.ts';
import { reportText } from './report.ts';

/** Temper compared with a script: the default measurement. */
export function addFloorCommand(program: Command, { interrupt, say, inFolder }: Bench): void {
  program
    .command('floor', { isDefault: true })
    .description('Temper on the real lab, beside a bare script that drives the same Ironic.')
    .option('--hosts <n>', 'hosts that live at once', wholeNumber, 20)
    .option('--rounds <n>', 'times both are measured', wholeNumber, 1)
    .option(
      '--idle <seconds>',
      'how long provisioned hosts are watched doing nothing, in the first round',
      wholeNumber,
      30,
    )
    .option(
      '--changes <n>',
      'changes of single hosts whose way to Ironic is timed, in the first round',
      wholeNumber,
      50,
    )
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
    .action((options: FloorOptions) =>
      inFolder(options.dir, async (dir) => {
        const result = await benchBesideFloor(dir, { ...options, interrupt, say });
        if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
        process.stdout.write(`${reportText(result)}\n`);
      }),
    );
}
