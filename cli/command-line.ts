import { type Command, Option } from 'commander';

/** Options that commands share. */
export const dirOption = (): Option =>
  new Option('--dir <folder>', 'folder of a lab, where the environment names no servers').default('.lab');
export const namespaceOption = (): Option => new Option('-n, --namespace <namespace>').default('default');
export const outputOption = (): Option => new Option('-o, --output <format>').choices(['text', 'json']).default('text');

/** What the line asks for; undefined when it was wrong, or asked for help, which has been told. */
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
    // commander has said why.
    return undefined;
  }
}
