import type { Command } from 'commander';
import type { SteeringName } from '../domain/steering/messages.ts';
import { OUT, type Out, orUnreachable, wrong } from './out.ts';
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
  explain: command({
    about: 'the state of a host, a machine or a cluster, the reason, what comes next, and what a person can do',
    line: async () => (await import('./explain/options.ts')).explainCommand,
    answer: async () => (await import('./explain/explain.ts')).explainObject,
  }),
  plan: command({
    about: 'what would be done if a manifest were applied, or with a host in its present state, and what that erases',
    line: async () => (await import('./plan/options.ts')).planCommand,
    answer: async () => (await import('./plan/plan.ts')).printPlans,
  }),
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
  history: command({
    about: 'what people have asked of a host or a machine, or of all of them, and how operations ended',
    line: async () => (await import('./history/options.ts')).historyCommand,
    answer: async () => (await import('./history/history.ts')).printHistory,
  }),
  find: command({
    about: 'the hosts with a serial number, a MAC address, a BMC address, a node of Ironic or a machine',
    line: async () => (await import('./find/options.ts')).findCommand,
    answer: async () => (await import('./find/find.ts')).findHosts,
  }),
  waiting: command({
    about: 'all hosts and machines that wait for a person, with the reason and the command that answers',
    line: async () => (await import('./waiting/options.ts')).waitingCommand,
    answer: async () => (await import('./waiting/waiting.ts')).printWaiting,
  }),
  version: command({
    about: 'the versions of this program, bridge, workers, Temporal, Ironic and the API server',
    line: async () => (await import('./version/options.ts')).versionCommand,
    answer: async () => (await import('./version/version.ts')).printVersions,
  }),
  migrate: command({
    about: 'check: what hinders a switch from the operators of Metal3',
    line: async () => (await import('./migrate/options.ts')).migrateCommand,
    answer: async () => (await import('./migrate/check.ts')).printCheck,
  }),
  uninstall: command({
    about: 'takes Temper away, and nothing else: CRDs and their objects stay',
    line: async () => (await import('./uninstall/options.ts')).uninstallCommand,
    answer: async () => (await import('./uninstall/take-away.ts')).takeAway,
  }),
  codec: command({
    about: 'shows encrypted payloads in the Web UI of Temporal, to a browser on this computer, until Ctrl-C',
    line: async () => (await import('./codec/options.ts')).codecCommand,
    answer: async () => (await import('./codec/codec.ts')).showPayloads,
  }),
};

/** A command that sends a message to hosts or machines: docs/steering.md. */
function steering(command: string, about: string, message = command as SteeringName): CliCommand {
  return steeringBy({ command, message, about });
}

/** A command that sends a message to many hosts. */
function many(command: 'hold' | 'unhold', message: SteeringName, about: string): CliCommand {
  return steeringBy({ command, message, about, of: command });
}

function steeringBy(steer: SteerCommand): CliCommand {
  return command({
    about: steer.about,
    line: async () => {
      const { steerCommand } = await import('./steer/options.ts');
      return (take) => steerCommand(steer, take);
    },
    answer: async () => (await import('./steer/steer.ts')).steer,
  });
}

/** `line` gives its request to `take`; `answer` returns the exit code. */
function command<T>(parts: {
  readonly about: string;
  readonly line: () => Promise<(take?: (request: T) => void) => Command>;
  readonly answer: () => Promise<(request: T, out: Out, now: number) => Promise<number>>;
}): CliCommand {
  const { about, line, answer } = parts;
  return {
    about,
    line: async () => (await line())(),
    async run(args) {
      const { requested } = await import('./command-line.ts');
      const request = requested(await line(), args);
      return request === undefined
        ? wrong(args)
        : orUnreachable(async () => (await answer())(request, OUT, Date.now()));
    },
  };
}
