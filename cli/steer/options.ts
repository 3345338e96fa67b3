import { userInfo } from 'node:os';
import { Argument, Command } from 'commander';
import { defined } from '../../domain/defined.ts';
import { holdReason } from '../../domain/steering/hold.ts';
import type { SteeringInput, SteeringName } from '../../domain/steering/messages.ts';
import { CALLED_KINDS } from '../called-kinds.ts';
import { dirOption, type LabRequest, namespaceOption } from '../command-line.ts';

/** The words on the command line for the kinds that people steer. */
export const STEERED_KINDS = { host: CALLED_KINDS.host, machine: CALLED_KINDS.machine } as const;
export type SteeredWord = keyof typeof STEERED_KINDS;

/** A command that sends a message. */
export interface SteerCommand {
  readonly command: string;
  readonly message: SteeringName;
  readonly about: string;
  /** The message goes to many hosts: for `hold` those that are in no quarantine, for `unhold` those that are held. */
  readonly of?: 'hold' | 'unhold';
}

/** A request to one object, or to all objects with certain labels. */
export interface SteerRequest extends Pick<SteerCommand, 'message' | 'of'>, LabRequest {
  readonly kind: SteeredWord;
  readonly input: SteeringInput;
  /** Either a name or a selector is given. */
  readonly name?: string;
  /** '' selects all objects of the namespace. */
  readonly selector?: string;
  readonly namespace: string;
  /** Number of objects that are asked at the same time. */
  readonly atOnce: number;
}

interface Options extends LabRequest {
  readonly namespace: string;
  readonly by: string;
  readonly reason: string;
  readonly selector?: string;
  readonly all?: true;
  /** Absent for a message to one object. */
  readonly atOnce?: string;
  readonly confirm?: string;
  readonly code?: string;
}

const to = new Argument('<to>', 'which way').choices(['on', 'off', 'reboot']);
const kindArgument = (words: readonly string[]): Argument => new Argument('<kind>').choices(words);
/** `take` gets the request. */
export function steerCommand(
  { command, message, about, of }: SteerCommand,
  take: (request: SteerRequest) => void = () => undefined,
): Command {
  const program = new Command(`temper ${command}`).description(about);
  const isForHosts = of !== undefined || message === 'forceDelete';
  if (message === 'power') program.addArgument(to);
  program.addArgument(kindArgument(isForHosts ? ['host'] : Object.keys(STEERED_KINDS)));
  // Each host has codes of its own, and the names of many could not be confirmed.
  const isForOne = isAnswer(message) || message === 'forceDelete';
  if (of === undefined) program.argument(isForOne ? '<name>' : '[name]', 'of the object');
  program
    .addOption(namespaceOption())
    .requiredOption('--reason <text>', 'why; it is kept on the object')
    .option('--by <name>', 'who', userInfo().username)
    .addOption(dirOption());
  if (!isForOne)
    program
      .option('-l, --selector <labels>', 'all objects of the namespace with these labels, instead of one')
      .option('--all', 'all objects of the namespace, instead of one')
      .option('--at-once <n>', 'objects at a time, with --selector or --all', '8');
  if (isAnswer(message)) program.requiredOption('--code <code>', 'the step, as the details of the host have it');
  if (message === 'forceDelete') program.requiredOption('--confirm <name>', 'the name of the host, once more');
  return program.action((...words: readonly unknown[]) => {
    const options = program.opts<Options>();
    const given = words.filter((word) => typeof word === 'string');
    const [direction] = given;
    const [kind, name] = message === 'power' ? given.slice(1) : given;
    const { by, reason, confirm, code, selector, all, namespace, dir } = options;
    if ([name, selector, all].filter((each) => each !== undefined).length !== 1)
      program.error(of === undefined ? 'give a name, --selector, or --all' : 'give --selector, or --all');
    if (selector?.trim() === '') program.error('--selector has no labels: --all means all objects of the namespace');
    const atOnce = Number(options.atOnce ?? 1);
    if (!Number.isInteger(atOnce) || atOnce < 1) program.error('--at-once is a whole number from 1 on');
    take({
      kind: kind as SteeredWord,
      message,
      ...defined({ of }),
      input: {
        by,
        reason: of === 'hold' ? holdReason(reason) : reason,
        ...(message === 'power' && { to: direction as 'on' }),
        ...defined({ confirm, code }),
      },
      ...(name === undefined ? { selector: selector ?? '' } : { name }),
      namespace,
      atOnce,
      dir,
    });
  });
}

const isAnswer = (message: SteeringName): boolean => message === 'approve' || message === 'reject';
