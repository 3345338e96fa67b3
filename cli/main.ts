import { COMMANDS } from './commands.ts';
import { dispatch } from './dispatch.ts';

/** Runs the program of the lab, which reads the arguments itself and sets the exit code. */
async function lab(): Promise<number> {
  // oxlint-disable-next-line no-restricted-imports -- the only way from the command line into the lab
  await import('../lab/cli.ts');
  return Number(process.exitCode ?? 0);
}

const commands = {
  lab: { about: 'the lab: real servers and simulated machines, on loopback', run: lab },
  ...COMMANDS,
  temporal: {
    about: "Temporal's command line, for the server of the lab in .lab",
    run: async (args: readonly string[]) => (await import('./temporal/temporal.ts')).temporal(args),
  },
};

process.exitCode = await dispatch(commands, process.argv.slice(2));
