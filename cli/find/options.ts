import { Command } from 'commander';
import { dirOption, oneNamespaceOption, outputOption, type PrintRequest } from '../command-line.ts';

export interface FindRequest extends PrintRequest {
  readonly wanted: string;
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
}

/** `take` gets the request. */
export function findCommand(take: (request: FindRequest) => void = () => undefined): Command {
  const program = new Command('temper find')
    .description('The hosts that are known by a text')
    .argument(
      '<text>',
      'serial number, MAC address, BMC address, uuid of the node in Ironic, name of the machine, or name or uid of the host',
    )
    .addOption(oneNamespaceOption())
    .addOption(outputOption())
    .addOption(dirOption());
  return program.action((text: string, options: Omit<FindRequest, 'wanted'>) => {
    const wanted = text.trim();
    if (wanted === '') program.error('give the text to find');
    take({ ...options, namespace: options.namespace, wanted });
  });
}
