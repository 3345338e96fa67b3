import { resolve } from 'node:path';
import { Command } from 'commander';
import { bridgeNamespaceOption, dirOption } from '../command-line.ts';

export interface UninstallRequest {
  /** The namespace of bridge and workers. */
  readonly bridgeNamespace: string;
  /** The operators of Metal3 take over. */
  readonly isForMetal3: boolean;
  /** Without it, nothing is changed. */
  readonly isConfirmed: boolean;
  /** How long Pods may take to end. */
  readonly timeoutMs: number;
  readonly labFolder: string;
}

interface Options {
  readonly bridgeNamespace: string;
  readonly forMetal3?: true;
  readonly confirm?: string;
  readonly timeout: string;
  readonly dir: string;
}

/** `take` gets the request. */
export function uninstallCommand(take: (request: UninstallRequest) => void = () => undefined): Command {
  const program = new Command('temper uninstall')
    .description(
      'Takes Temper away, and nothing else: CRDs and their objects stay. Without --confirm it says what it would do',
    )
    .addOption(bridgeNamespaceOption('where bridge and workers run'))
    .option('--for-metal3', 'leaves the finalizers that the operators of Metal3 use, because they take over')
    .option('--confirm <namespace>', 'the namespace of bridge and workers, once more: does it')
    .option('--timeout <seconds>', 'how long Pods may take to end', '300')
    .addOption(dirOption());
  return program.action(() => {
    const { bridgeNamespace, forMetal3 = false, confirm, timeout, dir } = program.opts<Options>();
    if (confirm !== undefined && confirm !== bridgeNamespace)
      program.error(
        `--confirm names ${confirm}, but bridge and workers run in ${bridgeNamespace} (--bridge-namespace)`,
      );
    const timeoutMs = Number(timeout) * 1_000;
    if (!(timeoutMs > 0)) program.error('--timeout is a number of seconds');
    const isConfirmed = confirm !== undefined;
    take({ bridgeNamespace, isForMetal3: forMetal3, isConfirmed, timeoutMs, labFolder: resolve(dir) });
  });
}
