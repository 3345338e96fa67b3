import { Command } from 'commander';
import { bridgeNamespaceOption, dirOption, type LabRequest } from '../command-line.ts';

export interface UninstallRequest extends LabRequest {
  /** The namespace of bridge and workers. */
  readonly bridgeNamespace: string;
  /** The operators of Metal3 take over. */
  readonly isForMetal3: boolean;
  /** Without it, nothing is changed. */
  readonly isConfirmed: boolean;
  /** How long Pods may take to end. */
  readonly timeoutMs: number;
}

interface Options extends Pick<UninstallRequest, 'bridgeNamespace' | 'dir'> {
  readonly forMetal3?: boolean;
  readonly confirm?: string;
  readonly timeout: string;
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
  return program.action(({ bridgeNamespace, dir, forMetal3 = false, confirm, timeout }: Options) => {
    if (confirm !== undefined && confirm !== bridgeNamespace)
      program.error(
        `--confirm names ${confirm}, but bridge and workers run in ${bridgeNamespace} (--bridge-namespace)`,
      );
    const timeoutMs = Number(timeout) * 1_000;
    if (!(timeoutMs > 0)) program.error('--timeout is a number of seconds');
    const isConfirmed = confirm !== undefined;
    take({ bridgeNamespace, isForMetal3: forMetal3, isConfirmed, timeoutMs, dir });
  });
}
