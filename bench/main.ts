import { Command } from 'commander';
import { interruptSignal } from '../lab/terminal/interrupt.ts';
import { addAddressesCommand } from './addresses/command.ts';
import { addFleetCommand } from './fleet/command.ts';
import { addFloorCommand } from './floor-command.ts';
import { inFolder } from './options.ts';
import { addStartsCommand } from './starts/command.ts';
import { addWayCommand } from './way/command.ts';

const program = new Command('bench').description('Measures Temper in a lab of its own.');
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
const bench = { interrupt: interruptSignal(), say, inFolder };
addFloorCommand(program, bench);
addFleetCommand(program, bench);
addAddressesCommand(program, bench);
addStartsCommand(program, bench);
addWayCommand(program, bench);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
// After a signal, work that nobody needs may still run.
process.exit();
