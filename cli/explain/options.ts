import { resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { type CalledKind, KIND_WORDS } from '../called-kinds.ts';
import { dirOption, namespaceOption, outputOption } from '../command-line.ts';

export interface ExplainRequest {
  readonly kind: CalledKind;
  readonly name: string;
  readonly namespace: string;
  readonly output: 'text' | 'json';
  /** Temporal is not asked. */
  readonly objectsOnly: boolean;
  /** Namespace in which the bridge stores the times that it has measured. */
  readonly bridgeNamespace: string;
  readonly labFolder: string;
}

type Options = Pick<ExplainRequest, 'namespace' | 'output' | 'bridgeNamespace'> & {
  readonly objectsOnly?: boolean;
  readonly dir: string;
};

/** `take` gets the request. */
export function explainCommand(take: (request: ExplainRequest) => void = () => undefined): Command {
  const program = new Command('temper explain')
    .description('Where a host, a machine or a cluster stands, why, what happens next, and what a person can do')
    .addArgument(new Argument('<kind>').choices(KIND_WORDS))
    .argument('<name>', 'a BareMetalHost, a Metal3Machine or its Machine, a Machine of the Machine API, or a Cluster')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .addOption(new Option('--objects-only', 'looks at objects alone, not at runs in Temporal'))
    .addOption(
      new Option('--bridge-namespace <namespace>', 'where the bridge runs; it keeps measured times there').default(
        'temper-system',
      ),
    )
    .addOption(dirOption());
  return program.action((kind: ExplainRequest['kind'], name: string) => {
    const { namespace, output, objectsOnly = false, bridgeNamespace, dir } = program.opts<Options>();
    take({ kind, name, namespace, output, objectsOnly, bridgeNamespace, labFolder: resolve(dir) });
  });
}
