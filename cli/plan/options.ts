import { Argument, Command } from 'commander';
import type { CalledKind } from '../called-kinds.ts';
import { dirOption, namespaceOption, outputOption, type PrintRequest } from '../command-line.ts';

export interface PlanRequest extends PrintRequest {
  /** Either the path of a manifest (`-`: standard input), or an existing object. */
  readonly file?: string;
  readonly named?: { readonly kind: PlannedKind; readonly name: string };
  readonly namespace: string;
  /** Plans the deletion of the object. */
  readonly deleting: boolean;
}

const PLANNED_KINDS = ['host', 'machine'] as const satisfies readonly CalledKind[];
type PlannedKind = (typeof PLANNED_KINDS)[number];

interface Options extends PrintRequest {
  readonly namespace: string;
  readonly filename?: string;
  readonly delete?: true;
}

/** `take` gets the request. */
export function planCommand(take: (request: PlanRequest) => void = () => undefined): Command {
  const program = new Command('temper plan')
    .description('What would be done, step by step, and which step erases something; nothing is done')
    .addArgument(new Argument('[kind]', 'with a name: what it will have done as it is').choices(PLANNED_KINDS))
    .argument('[name]', 'a BareMetalHost, or a Metal3Machine or its Machine')
    .option(
      '-f, --filename <file>',
      'a manifest with BareMetalHosts, Metal3Machines, or Machines; - for standard input',
    )
    .option('--delete', 'as if it, or what is in the manifest, were deleted')
    .addOption(namespaceOption())
    .addOption(outputOption())
    .addOption(dirOption());
  return program.action((kind: PlannedKind | undefined, name: string | undefined, options: Options) => {
    const { filename, delete: deleting = false, ...request } = options;
    if ((name === undefined) === (filename === undefined))
      program.error('give the name of a host or a machine, or a manifest with -f');
    take({
      ...request,
      deleting,
      ...(filename !== undefined && { file: filename }),
      ...(kind !== undefined && name !== undefined && { named: { kind, name } }),
    });
  });
}
