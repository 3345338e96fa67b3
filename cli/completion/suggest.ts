import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import type { Commands } from '../commands.ts';
import { COMPLETION } from './words.ts';

/** Arguments of commands that are names of objects. */
const NAMES: readonly string[] = ['name', 'names'];

/**
 * Prints the completions of the last word, each with its meaning, in the format that the scripts of the shells read.
 */
export async function suggest(commands: Commands, words: readonly string[], names: readonly string[]): Promise<void> {
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
