import { Argument, Command } from 'commander';
import { type CalledKind, KIND_WORDS } from '../called-kinds.ts';
import { bridgeNamespaceOption, dirOption, namespaceOption, outputOption, type PrintRequest } from '../command-line.ts';

export interface ExplainRequest extends PrintRequest {
  readonly kind: CalledKind;
  readonly name: string;
  readonly namespace: string;
  /** Temporal is not asked. */
  readonly objectsOnly?: true;
  /** Namespace in which the bridge stores the times that it has measured. */
  readonly bridgeNamespace: string;
}

/** `take` gets the request. */
export const explainCommand = (take: (request: ExplainRequest) => void = () => undefined): Command =>
  new Command('temper explain')
    .description('Where a host, a machine or a cluster stands, why, what happens next, and what a person can do')
    .addArgument(new Argument('<kind>').choices(KIND_WORDS))
    .argument('<name>', 'a BareMetalHost, a Metal3Machine or its Machine, a Machine of the Machine API, or a Cluster')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .option('--objects-only', 'looks at objects alone, not at runs in Temporal')
    .addOption(bridgeNamespaceOption('where the bridge runs; it keeps measured times there'))
    .addOption(dirOption())
    .action((kind: CalledKind, name: string, options: Omit<ExplainRequest, 'kind' | 'name'>) =>
      take({ ...options, kind, name }),
    );
