import { groupOf } from '../cluster-api/names.ts';
import type { Markdown } from '../entity/markdown.ts';
import {
  anyMachineChange,
  anyMachineDetails,
  anyMachineRefusal,
  type KnownOfAnyMachine,
  knownOfItsHost,
  RETRY_FOLLOWED,
} from '../machine/steering/any-machine.ts';
import type { SteeringMessage } from '../steering/messages.ts';
import type { Steerable } from '../steering/steerable.ts';
import { type Authority, isLeftAlone } from './authority.ts';
import { problemOf } from './instance.ts';
import { type MachineApiMemory, ownsHost } from './memory.ts';

/** The facts by which a message to a Machine of the Machine API is judged. */
export interface SteeredMachineApi extends KnownOfAnyMachine {
  readonly annotations: Readonly<Record<string, string>>;
  readonly authority: Authority | undefined;
}

/**
 * Nothing is forwarded to the host of a Machine that is left alone, nor to a host that the Machine only names: its
 * consumer may be another machine.
 */
export function knownOfMachineApi(memory: MachineApiMemory): KnownOfAnyMachine {
  const { seen, trouble, noHost } = memory;
  const problem = problemOf(memory);
  return {
    hasFailed: trouble !== null || noHost !== null,
    ...knownOfItsHost(ownsHost(memory) && !isLeftAlone(seen.authority) ? seen.host : undefined),
    ...(problem !== undefined && { problem }),
  };
}

/** Why a Machine that is left alone takes no message. */
export const steeredElsewhere = (authority: Authority | undefined): string =>
  `it is left alone, because its authoritative API is ${authority?.api}: steer its host itself`;

/** Messages of people to Machines of the Machine API. */
export const steerableMachineApi: Steerable<SteeredMachineApi> = {
  refusal,
  change: anyMachineChange,
  followed: [RETRY_FOLLOWED],
};

/** Why the Machine refuses a message now, and what to do instead; undefined: it accepts the message. */
function refusal(machine: SteeredMachineApi, { name }: SteeringMessage): string | undefined {
  const { authority, host } = machine;
  if (isLeftAlone(authority)) return steeredElsewhere(authority);
  if (name === 'pause' || name === 'resume')
    return `Machines of the Machine API have no pause${host === '' ? `, and this one has no host that could be ${name}d` : `: ${name} its host ${host}`}`;
  return anyMachineRefusal(machine, name);
}

/** Lines for the details of the run of a Machine. */
export function machineApiSteeringDetails(memory: MachineApiMemory): readonly Markdown[] {
  const { api, namespace, name, authority } = memory.seen;
  const known = knownOfMachineApi(memory);
  const machine = { annotations: {}, authority, ...known };
  return anyMachineDetails(memory, {
    workflowId: `machine.${groupOf(api)}/${namespace}/${name}`,
    ...known,
    refusal: (message) => refusal(machine, message),
  });
}

/** The annotation asks for a retry that was not begun yet. That of a Machine that is left alone waits. */
export const isRetryAsked = ({ seen, retried }: MachineApiMemory): boolean =>
  seen.retry !== undefined && seen.retry !== retried && !isLeftAlone(seen.authority);

/** Ends a backoff and the wait for a host. The annotation is then handled. */
export const retryNow = (memory: MachineApiMemory): MachineApiMemory => ({
  ...memory,
  trouble: null,
  noHost: null,
  ...(memory.seen.retry !== undefined && { retried: memory.seen.retry }),
});
