import { type Command, Option } from 'commander';

/** What all commands take. */
export interface LabRequest {
  /** Folder of a lab. */
  readonly dir: string;
}

/** What commands with an output for programs take. */
export interface PrintRequest extends LabRequest {
  readonly output: 'text' | 'json';
}

/** Options that commands share. */
export const dirOption = (): Option =>
  new Option('--dir <folder>', 'folder of a lab, where the environment names no servers').default('.lab');
export const namespaceOption = (): Option => new Option('-n, --namespace <namespace>').default('default');
/** For commands that look at all namespaces. */
export const oneNamespaceOption = (): Option =>
  new Option('-n, --namespace <namespace>', 'objects of this namespace alone');
export const outputOption = (): Option => new Option('-o, --output <format>').choices(['text', 'json']).default('text');

/** The namespace of bridge and workers. */
export const bridgeNamespaceOption = (about: string): Option =>
  new Option('--bridge-namespace <namespace>', about).default('temper-system');

/** The request on the command line; undefined after the help, or after an error in the line, which is printed here. */
export function requested<T>(
  commandOf: (take: (request: T) => void) => Command,
  args: readonly string[],
): T | undefined {
  let request: T | undefined;
  const command = commandOf((taken) => void (request = taken)).exitOverride();
  try {
    command.parse(args, { from: 'user' });
    return request;
  } catch {
    // commander has printed the reason.
    return undefined;
  }
}
