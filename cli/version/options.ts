import { resolve } from 'node:path';
import { Command } from 'commander';
import { bridgeNamespaceOption, dirOption, outputOption } from '../command-line.ts';

export interface VersionRequest {
  /** Of bridge and workers. */
  readonly bridgeNamespace: string;
  readonly output: 'text' | 'json';
  readonly labFolder: string;
}

type VersionOptions = Pick<VersionRequest, 'bridgeNamespace' | 'output'> & { readonly dir: string };

/** `take` gets the request. */
export function versionCommand(take: (request: VersionRequest) => void = () => undefined): Command {
  const program = new Command('temper version')
    .description('The versions of this program, bridge, workers, Temporal, Ironic and the API server')
    .addOption(bridgeNamespaceOption('the namespace of bridge and workers'))
    .addOption(outputOption())
    .addOption(dirOption());
  return program.action(() => {
    const { bridgeNamespace, output, dir } = program.opts<VersionOptions>();
    take({ bridgeNamespace, output, labFolder: resolve(dir) });
  });
}
