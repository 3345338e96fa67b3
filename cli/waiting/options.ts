import { resolve } from 'node:path';
import { Command } from 'commander';
import { dirOption, oneNamespaceOption, outputOption } from '../command-line.ts';

export interface WaitingRequest {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly output: 'text' | 'json';
  readonly labFolder: string;
}

type WaitingOptions = Pick<WaitingRequest, 'output'> & { readonly namespace?: string; readonly dir: string };

/** `take` gets the request. */
export function waitingCommand(take: (request: WaitingRequest) => void = () => undefined): Command {
  const program = new Command('temper waiting')
    .description('All hosts and machines that wait for a person')
    .addOption(oneNamespaceOption())
    .addOption(outputOption())
    .addOption(dirOption());
  return program.action(() => {
    const { namespace, output, dir } = program.opts<WaitingOptions>();
    take({ namespace, output, labFolder: resolve(dir) });
  });
}
