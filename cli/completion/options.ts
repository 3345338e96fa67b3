import { Argument, Command } from 'commander';
import { requested } from '../command-line.ts';
import { COMPLETION } from './words.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export const completionCommand = (take: (shell: Shell) => void = () => undefined): Command =>
  new Command(`temper ${COMPLETION}`)
    .description('A script that completes commands, options and names of objects')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(take);

export const completionShell = (args: readonly string[]): Shell | undefined => requested(completionCommand, args);
