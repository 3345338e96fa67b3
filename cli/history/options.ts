import { Argument, Command } from 'commander';
import { goDuration } from '../../domain/go/duration.ts';
import { dirOption, namespaceOption, outputOption, type PrintRequest } from '../command-line.ts';
import { STEERED_KINDS, type SteeredWord } from '../steer/options.ts';

export interface HistoryRequest extends PrintRequest {
  readonly kind: SteeredWord;
  readonly name: string;
  readonly namespace: string;
  /** Temporal is not asked. */
  readonly objectsOnly?: true;
}

/** Of all hosts and machines. */
export interface FleetHistoryRequest extends PrintRequest {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** How far back. */
  readonly sinceMs: number;
}

interface HistoryOptions extends Omit<HistoryRequest, 'kind' | 'name'> {
  readonly allNamespaces?: true;
  readonly since?: string;
}

/** `take` gets the request. */
export function historyCommand(
  take: (request: HistoryRequest | FleetHistoryRequest) => void = () => undefined,
): Command {
  const program = new Command('temper history')
    .description('What people have asked of a host or a machine, or of all of them, and how operations ended')
    .addArgument(new Argument('[kind]').choices(Object.keys(STEERED_KINDS)))
    .argument('[name]', 'of the object; without kind and name, all hosts and machines')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'hosts and machines of all namespaces')
    .option('--since <duration>', 'how far back, for all hosts and machines, such as 30m or 24h (default: 1h)')
    .addOption(outputOption())
    .option('--objects-only', 'looks at objects alone, not at runs in Temporal')
    .addOption(dirOption());
  return program.action((kind: SteeredWord | undefined, name: string | undefined, options: HistoryOptions) => {
    const { allNamespaces = false, since, ...request } = options;
    if (kind === undefined) {
      const sinceMs = goDuration(since ?? '1h') ?? 0;
      if (sinceMs <= 0) program.error(`--since ${since}: give a duration, such as 30m or 24h`);
      return take({ ...request, namespace: allNamespaces ? undefined : request.namespace, sinceMs });
    }
    if (name === undefined) return program.error('give the name of the object, or no kind for all hosts and machines');
    if (allNamespaces || since !== undefined)
      program.error('--all-namespaces and --since are for all hosts and machines: give no kind and name');
    take({ ...request, kind, name });
  });
}
