import type { ForwardAnswer } from '../../activities/requests/forward-to-host.ts';
import type { MachineMemory } from '../../domain/machine/memory/memory.ts';
import { isForHost, knownOfMachine } from '../../domain/machine/steering/refusal.ts';
import { type SteeringName, titleOf } from '../../domain/steering/messages.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import type { SteerAnswer } from '../messages.ts';
import { forwarding, steering } from '../proxies.ts';
import { listenForSteering, type MessageInHand } from './steering.ts';

const descriptions = {
  pause: 'Sets the annotation paused: nothing more is done for the machine until resume; its host is not paused',
  resume: 'Ends a pause',
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
} satisfies Readonly<Record<Exclude<SteeringName, 'forceDelete'>, string>>;

/**
 * Sets the handlers of messages that people send to a machine. Some are forwarded to its host, whose run accepts or
 * refuses them.
 */
export const listenForMachineSteering = (messages: CheckedMessages<MachineMemory>): void =>
  listenForSteering({ what: 'machine', descriptions, perform }, messages);

async function perform(steered: MessageInHand<MachineMemory>): Promise<SteerAnswer> {
  const { object, id, memory, message } = steered;
  const askedAt = Date.now();
  const known = knownOfMachine(memory);
  const forwarded = isForHost(message, known) ? await forward(steered) : undefined;
  if (forwarded?.kind === 'refused') return forwarded;
  const order = { object, id, askedAt, known, message };
  const answer = await steering(`Write to the Metal3Machine: ${titleOf(message)}`).steerMachine(order);
  return forwarded?.kind === 'done' && answer.kind === 'done' ? { ...answer, said: forwarded.said } : answer;
}

/** undefined: the machine has no host to forward the message to. */
async function forward({
  object: { namespace, name },
  id,
  memory: { seen },
  message,
}: MessageInHand<MachineMemory>): Promise<ForwardAnswer | undefined> {
  if (seen.host === undefined) return undefined;
  const host = { namespace: seen.host.namespace, name: seen.host.name, uid: seen.host.uid };
  const order = { host, machine: { namespace, name }, message, ticket: id };
  return forwarding(`Send to host ${host.name}: ${titleOf(message)}`).forwardToHost(order);
}
