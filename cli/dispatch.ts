import type { Commands } from './commands.ts';
import { COMPLETION, COMPLETION_REQUEST } from './completion/words.ts';
import { endWithReader } from './out.ts';

/** Runs the command that the words name. Returns the exit code. */
export async function dispatch(others: Commands, [name = 'help', ...args]: readonly string[]): Promise<number> {
  endWithReader();
  const commands: Commands = {
    ...others,
    [COMPLETION]: {
      about: 'a script that completes commands, options and names, for bash, zsh, fish or PowerShell',
      run: async (words) => (await import('./completion/commands.ts')).completion(words),
    },
  };
  if (name === COMPLETION_REQUEST) return (await import('./completion/commands.ts')).complete(commands, args);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(args);
  if (['help', '--help', '-h'].includes(name)) {
    process.stdout.write(`${helpText(commands)}\n`);
    return 0;
  }
  if (['--version', '-V'].includes(name)) {
    process.stdout.write(`${(await import('./version/own-version.ts')).ownVersion()}\n`);
    return 0;
  }
  process.stderr.write(`temper: there is no command '${name}'\n${helpText(commands)}\n`);
  return 2;
}

function helpText(commands: Commands): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Usage: temper <command>; `temper <command> --help` says more', '', ...lines].join('\n');
}
