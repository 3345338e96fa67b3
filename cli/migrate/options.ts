import { Argument, Command } from 'commander';
import { dirOption, outputOption, type PrintRequest } from '../command-line.ts';

/** `take` gets the request. */
export const migrateCommand = (take: (request: PrintRequest) => void = () => undefined): Command =>
  new Command('temper migrate')
    .description('What hinders a switch from the operators of Metal3 to Temper; nothing is changed')
    .addArgument(new Argument('<what>', 'check: looks at webhooks, operators, and all objects').choices(['check']))
    .addOption(outputOption())
    .addOption(dirOption())
    .action((_, options: PrintRequest) => take(options));
