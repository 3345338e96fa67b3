import type { Command } from 'commander';
import type { SteeringName } from '../domain/steering/messages.ts';
import type { SteerCommand } from './steer/options.ts';

/** A command of `temper`. Its modules are loaded when it is called. */
export interface CliCommand {
  /** Its line in the help. */
  readonly about: string;
  /** Runs it with the words after its name. Returns the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
  /** Its arguments and options, to complete them. */
  readonly line?: () => Promise<Command>;
}

export type Commands = Readonly<Record<string, CliCommand>>;

/** The commands that need no lab. */
export const COMMANDS: Commands = {
  explain: {
    about: 'the state of a host, a machine or a cluster, the reason, what comes next, and what a person can do',
    run: async (args) => (await import('./explain/commands.ts')).explain(args),
    line: async () => (await import('./explain/options.ts')).explainCommand(),
  },
  plan: {
    about: 'what would be done if a manifest were applied, or with a host in its present state, and what that erases',
    run: async (args) => (await import('./plan/commands.ts')).plan(args),
    line: async () => (await import('./plan/options.ts')).planCommand(),
  },
  pause: steering('pause', 'begins nothing new on a host or a machine, until resume'),
  resume: steering('resume', 'ends a pause, or the park after an abort'),
  retry: steering('retry', 'tries again at once what failed or was aborted'),
  abort: steering('abort', 'ends the running operation, also in Ironic, and parks the host until resume or retry'),
  quarantine: steering('quarantine', 'nothing is begun on a host and no machine chooses it, until release'),
  release: steering('release', 'ends a quarantine'),
  hold: many('hold', 'quarantine', 'a quarantine of all hosts of a rack or a namespace, until unhold'),
  unhold: many('unhold', 'release', 'ends a hold; hosts that were in quarantine before it stay there'),
  reinspect: steering('reinspect', 'inspects an available host again'),
  power: steering('power', 'on, off or reboot'),
  approve: steering('approve', 'approves the step that a host waits for: --code names the step'),
  reject: steering('reject', 'rejects the step that a host waits for: --code names the step'),
  'force-delete': steering(
    'force-delete',
    'ends a deletion that has begun, even if Ironic or the BMC does not answer',
    'forceDelete',
  ),
  history: {
    about: 'what people have asked of a host or a machine, or of all of them, and how operations ended',
    run: async (args) => (await import('./history/commands.ts')).history(args),
    line: async () => (await import('./history/options.ts')).historyCommand(),
  },
  find: {
    about: 'the hosts with a serial number, a MAC address, a BMC address, a node of Ironic or a machine',
    run: async (args) => (await import('./find/commands.ts')).find(args),
    line: async () => (await import('./find/options.ts')).findCommand(),
  },
  waiting: {
    about: 'all hosts and machines that wait for a person, with the reason and the command that answers',
    run: async (args) => (await import('./waiting/commands.ts')).waiting(args),
    line: async () => (await import('./waiting/options.ts')).waitingCommand(),
  },
  version: {
    about: 'the versions of this program, bridge, workers, Temporal, Ironic and the API server',
    run: async (args) => (await import('./version/commands.ts')).version(args),
    line: async () => (await import('./version/options.ts')).versionCommand(),
  },
  migrate: {
    about: 'check: what hinders a switch from the operators of Metal3',
    run: async (args) => (await import('./migrate/commands.ts')).migrate(args),
    line: async () => (await import('./migrate/options.ts')).migrateCommand(),
  },
  uninstall: {
    about: 'takes Temper away, and nothing else: CRDs and their objects stay',
    run: async (args) => (await import('./uninstall/commands.ts')).uninstall(args),
    line: async () => (await import('./uninstall/options.ts')).uninstallCommand(),
  },
  codec: {
    about: 'shows encrypted payloads in the Web UI of Temporal, to a browser on this computer, until Ctrl-C',
    run: async (args) => (await import('./codec/commands.ts')).codec(args),
    line: async () => (await import('./codec/options.ts')).codecCommand(),
  },
};

/** A command that sends a message to hosts or machines: docs/steering.md. */
function steering(command: string, about: string, message = command as SteeringName): CliCommand {
  return steeringBy({ command, message, about });
}

/** A command that sends a message to many hosts. */
function many(command: 'hold' | 'unhold', message: SteeringName, about: string): CliCommand {
  return steeringBy({ command, message, about, of: command });
}

function steeringBy(command: SteerCommand): CliCommand {
  return {
    about: command.about,
    run: async (args) => (await import('./steer/commands.ts')).steer(command, args),
    line: async () => (await import('./steer/options.ts')).steerCommand(command),
  };
}
