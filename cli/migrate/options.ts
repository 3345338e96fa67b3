import { resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { dirOption, outputOption } from '../command-line.ts';

export interface MigrateRequest {
  readonly output: 'text' | 'json';
  readonly labFolder: string;
}

/** `take` gets the request. */
export function migrateCommand(take: (request: MigrateRequest) => void = () => undefined): Command {
  const program = new Command('temper migrate')
    .description('What hinders a switch from the operators of Metal3 to Temper; nothing is changed')
    .addArgument(new Argument('<what>', 'check: looks at webhooks, operators, and all objects').choices(['check']))
    .addOption(outputOption())
    .addOption(dirOption());
  return program.action(() => {
    const { output, dir } = program.opts<{ readonly output: 'text' | 'json'; readonly dir: string }>();
    take({ output, labFolder: resolve(dir) });
  });
}
