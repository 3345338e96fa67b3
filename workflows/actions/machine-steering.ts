import type { ForwardAnswer } from '../../activities/requests/forward-to-host.ts';
import type { ObjectName } from '../../domain/entity/object-ref.ts';
import type { HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import { isForHost } from '../../domain/machine/steering/any-machine.ts';
import type { KnownOfMachine } from '../../domain/machine/steering/refusal.ts';
import { type SteeringName, titleOf } from '../../domain/steering/messages.ts';
import type { WithSteered } from '../../domain/steering/steered.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import { forwarding, steering } from '../proxies.ts';
import { listenForSteering, type MessageInHand } from './steering.ts';

const descriptions = {
  retry: 'Tries again at once what failed for the machine or, if nothing did, for its host',
  abort: 'To its host: ends the running operation, also in Ironic, and parks the host',
  quarantine: 'To its host: nothing is begun on it; a running operation continues to its end',
  release: 'To its host: ends a quarantine',
  reinspect: 'To its host: inspects it again, if it is available',
  power: 'To its host: switches the power; to is on, off or reboot',
  approve:
    'To its host: approves the step that the host waits for; code is the code of the step, as the details of its run show it',
  reject:
    'To its host: rejects the step that the host waits for, until the host asks for something else or the step is approved',
} satisfies Readonly<Partial<Record<SteeringName, string>>>;

/** The part of a machine's memory that messages of people need, in both APIs. */
interface AnyMachineMemory extends WithSteered {
  readonly seen: ObjectName & {
    /** Only in the Machine API: its `group/version`. */
    readonly api?: string;
    readonly host?: HostFacts;
  };
}

/** How a kind of machines takes messages of people. */
interface MachineSteering<Memory> {
  /** The kind's name, for people. */
  readonly kind: string;
  readonly pause: string;
  readonly resume: string;
  /** Messages are forwarded to the host that this names. */
  readonly knownOf: (memory: Memory) => KnownOfMachine;
}

/**
 * Sets the handlers of messages that people send to a machine. Some are forwarded to its host, whose run accepts or
 * refuses them.
 */
export const listenForMachineSteering =
  <Memory extends AnyMachineMemory>({ kind, pause, resume, knownOf }: MachineSteering<Memory>) =>
  (messages: CheckedMessages<Memory>): void =>
    listenForSteering(
      {
        what: 'machine',
        descriptions: { pause, resume, ...descriptions },
        async perform(steered) {
          const { object, id, memory, message } = steered;
          const requestedAt = Date.now();
          const known = knownOf(memory);
          const { api, host } = memory.seen;
          const hasHost = host !== undefined && known.host !== '';
          const forwarded = hasHost && isForHost(message, known) ? await forward(steered, host) : undefined;
          if (forwarded?.kind === 'refused') return forwarded;
          const order = { object, id, requestedAt, known, message, ...(api !== undefined && { api }) };
          const answer = await steering(`Write to the ${kind}: ${titleOf(message)}`).steerMachine(order);
          return forwarded?.kind === 'done' && answer.kind === 'done' ? { ...answer, said: forwarded.said } : answer;
        },
      },
      messages,
    );

function forward(
  { object: { namespace, name, uid: machineUid }, id, memory: { seen }, message }: MessageInHand<AnyMachineMemory>,
  { namespace: hostNamespace, name: hostName, uid }: HostFacts,
): Promise<ForwardAnswer> {
  const host = { namespace: hostNamespace, name: hostName, uid };
  const machine = { namespace, name, uid: machineUid, ...(seen.api !== undefined && { api: seen.api }) };
  const order = { host, machine, message, ticket: id };
  return forwarding(`Send to host ${host.name}: ${titleOf(message)}`).forwardToHost(order);
}
