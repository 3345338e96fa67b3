import { Command } from 'commander';
import { dirOption, oneNamespaceOption, outputOption, type PrintRequest } from '../command-line.ts';

export interface WaitingRequest extends PrintRequest {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
}

/** `take` gets the request. */
export const waitingCommand = (take: (request: WaitingRequest) => void = () => undefined): Command =>
  new Command('temper waiting')
    .description('All hosts and machines that wait for a person')
    .addOption(oneNamespaceOption())
    .addOption(outputOption())
    .addOption(dirOption())
    .action((options: WaitingRequest) => take({ ...options, namespace: options.namespace }));
