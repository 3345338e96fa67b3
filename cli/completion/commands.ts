import { script } from '@bomb.sh/tab';
import type { Kube } from '../../kube/client.ts';
import { dirOption } from '../command-line.ts';
import type { Commands } from '../commands.ts';
import { DONE, wrong } from '../out.ts';
import { namesFor } from './names.ts';
import { completionShell } from './options.ts';
import { suggest } from './suggest.ts';

/** The command, found in PATH, that the shells run. */
const PROGRAM = 'temper';

/** Prints the script of a shell. Returns the exit code. */
export function completion(args: readonly string[]): Promise<number> {
  const shell = completionShell(args);
  if (shell === undefined) return wrong(args);
  script(shell, PROGRAM, PROGRAM);
  return Promise.resolve(DONE);
}

/** Prints the completions of the last word after `--`, for the scripts. Returns the exit code. */
export async function complete(commands: Commands, args: readonly string[]): Promise<number> {
  const words = args.slice(args.indexOf('--') + 1);
  const open = async (): Promise<Kube> => {
    const { endpointsOf, openKube } = await import('../access.ts');
    return openKube(endpointsOf(dirOption().defaultValue as string));
  };
  await suggest(commands, words, await namesFor(words, open));
  return DONE;
}
