import { script } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import { Argument, Command } from 'commander';
import type { Kube } from '../../kube/client.ts';
import { dirOption, requested } from '../command-line.ts';
import type { Commands } from '../commands.ts';
import { DONE, wrong } from '../out.ts';
import { namesFor } from './names.ts';
import { COMPLETION } from './words.ts';

/** The command, found in PATH, that the shells run. */
const PROGRAM = 'temper';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof SHELLS)[number];

export const completionCommand = (take: (shell: Shell) => void = () => undefined): Command =>
  new Command(`temper ${COMPLETION}`)
    .description('A script that completes commands, options and names of objects')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(take);

/** Prints the script of a shell. Returns the exit code. */
export function completion(args: readonly string[]): Promise<number> {
  const shell = requested(completionCommand, args);
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

/** Arguments of commands that are names of objects. */
const NAMES: readonly string[] = ['name', 'names'];

/**
 * Prints the completions of the last word, each with its meaning, in the format that the scripts of the shells read.
 */
async function suggest(commands: Commands, words: readonly string[], names: readonly string[]): Promise<void> {
  const program = new Command('temper');
  for (const [name, { about, line }] of Object.entries(commands)) {
    if (name === COMPLETION) continue;
    program.addCommand(((await line?.()) ?? new Command()).name(name).description(about));
  }
  const suggestions = tab(program, { completionCommandName: COMPLETION });
  for (const command of suggestions.commands.values()) {
    for (const argument of command.arguments.values()) {
      if (!NAMES.includes(argument.name)) continue;
      argument.handler = (complete) => {
        for (const name of names) complete(name, '');
      };
    }
  }
  suggestions.parse([...words]);
}
