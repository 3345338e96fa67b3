import { resolve } from 'node:path';
import { Command } from 'commander';
import { dirOption, oneNamespaceOption, outputOption } from '../command-line.ts';

export interface FindRequest {
  readonly wanted: string;
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly output: 'text' | 'json';
  readonly labFolder: string;
}

type FindOptions = Pick<FindRequest, 'output'> & { readonly namespace?: string; readonly dir: string };

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
  return program.action((text: string) => {
    const { namespace, output, dir } = program.opts<FindOptions>();
    const wanted = text.trim();
    if (wanted === '') program.error('give the text to find');
    take({ wanted, namespace, output, labFolder: resolve(dir) });
  });
}
