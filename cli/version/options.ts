import { Command } from 'commander';
import { bridgeNamespaceOption, dirOption, outputOption, type PrintRequest } from '../command-line.ts';

export interface VersionRequest extends PrintRequest {
  /** Of bridge and workers. */
  readonly bridgeNamespace: string;
}

/** `take` gets the request. */
export const versionCommand = (take: (request: VersionRequest) => void = () => undefined): Command =>
  new Command('temper version')
    .description('The versions of this program, bridge, workers, Temporal, Ironic and the API server')
    .addOption(bridgeNamespaceOption('the namespace of bridge and workers'))
    .addOption(outputOption())
    .addOption(dirOption())
    .action((options: VersionRequest) => take(options));
