import { resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { dirOption, namespaceOption, outputOption, requested } from '../command-line.ts';
import { STEERED_KINDS, type SteeredWord } from '../steer/options.ts';

export interface HistoryRequest {
  readonly kind: SteeredWord;
  readonly name: string;
  readonly namespace: string;
  readonly output: 'text' | 'json';
  /** Temporal is not asked. */
  readonly objectsOnly: boolean;
  readonly labFolder: string;
}

type HistoryOptions = Pick<HistoryRequest, 'namespace' | 'output'> & {
  readonly objectsOnly?: true;
  readonly dir: string;
};

/** `take` gets the request. */
export function historyCommand(take: (request: HistoryRequest) => void = () => undefined): Command {
  const program = new Command('temper history')
    .description('What people have asked of a host or a machine, and how its last operations ended')
    .addArgument(new Argument('<kind>').choices(Object.keys(STEERED_KINDS)))
    .argument('<name>', 'of the object')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .option('--objects-only', 'looks at objects alone, not at runs in Temporal')
    .addOption(dirOption());
  return program.action((kind: SteeredWord, name: string) => {
    const { namespace, output, objectsOnly = false, dir } = program.opts<HistoryOptions>();
    take({ kind, name, namespace, output, objectsOnly, labFolder: resolve(dir) });
  });
}

/** The request of the words after `temper history`; undefined after an error in them, which is printed here. */
export const historyRequest = (args: readonly string[]): HistoryRequest | undefined => requested(historyCommand, args);
