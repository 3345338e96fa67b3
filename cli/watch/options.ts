import { resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { isObjectName } from '../../kube/paths.ts';
import { type CalledKind, KIND_WORDS } from '../called-kinds.ts';
import { dirOption, namespaceOption, outputOption, requested } from '../command-line.ts';

export interface WatchRequest {
  readonly kind: CalledKind;
  /** Empty: all objects, or those that the selector selects. */
  readonly names: readonly string[];
  readonly selector?: string;
  readonly namespace: string;
  /** True: `namespace` is ignored. */
  readonly allNamespaces: boolean;
  readonly output: 'text' | 'json';
  readonly labFolder: string;
}

interface Options extends Pick<WatchRequest, 'namespace' | 'output' | 'selector'> {
  readonly allNamespaces?: boolean;
  readonly dir: string;
}

/** `take` gets the request. */
export function watchCommand(take: (request: WatchRequest) => void = () => undefined): Command {
  const command = new Command('temper watch')
    .description('One line for each change of hosts, machines or clusters, until Ctrl-C')
    .addArgument(new Argument('[kind]').choices(KIND_WORDS).default('host'))
    .argument(
      '[names...]',
      'BareMetalHosts, Metal3Machines, or Clusters with their machines and hosts; without names, all of them',
    )
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'objects of all namespaces')
    .option('-l, --selector <labels>', 'objects with these labels, instead of names')
    .addOption(outputOption())
    .addOption(dirOption());
  return command.action((kind: WatchRequest['kind'], names: readonly string[]) => {
    const { selector, namespace, allNamespaces = false, output, dir } = command.opts<Options>();
    if (allNamespaces && names.length > 0) command.error('give names in a namespace, or --all-namespaces');
    if (selector !== undefined && names.length > 0) command.error('give names, or --selector');
    if (selector?.trim() === '')
      command.error('--selector has no labels: without it all objects of the namespace are watched');
    const odd = names.find((name) => !isObjectName(name));
    if (odd !== undefined) command.error(`'${odd}' is no name of an object`);
    const labels = selector === undefined ? {} : { selector };
    take({ kind, names: [...new Set(names)], ...labels, namespace, allNamespaces, output, labFolder: resolve(dir) });
  });
}

/** The request of the words after `temper watch`; undefined after an error in them, which is printed here. */
export const watchRequest = (args: readonly string[]): WatchRequest | undefined => requested(watchCommand, args);
