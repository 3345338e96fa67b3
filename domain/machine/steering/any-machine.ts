import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { type Markdown, markdown } from '../../entity/markdown.ts';
import { annotationValue } from '../../steering/annotations.ts';
import { steeringDetails, USER_AND_REASON } from '../../steering/details.ts';
import type { FollowedAnnotation } from '../../steering/history.ts';
import type { SteeringMessage, SteeringName } from '../../steering/messages.ts';
import type { SteeringChange } from '../../steering/steerable.ts';
import type { WithSteered } from '../../steering/steered.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';

/** What is the same for messages to Metal3Machines and to Machines of the Machine API. */

/** What only the run of a machine knows, because its object does not show it. */
export interface KnownOfAnyMachine {
  /** It waits after a failure, or has found no host. */
  readonly hasFailed: boolean;
  /** The name of its host; '' without one. */
  readonly host: string;
  /** Its host waits after a failure, or is parked by an abort. */
  readonly hostAwaitsRetry: boolean;
  /** Why it stands still until a person corrects something, and what to correct. */
  readonly problem?: string;
}

export const knownOfItsHost = (host: HostFacts | undefined): Pick<KnownOfAnyMachine, 'host' | 'hostAwaitsRetry'> => ({
  host: host?.name ?? '',
  hostAwaitsRetry: host !== undefined && (host.errorMessage !== '' || host.heldBack === 'parked'),
});

/** Messages that always go to the machine's host. */
const FOR_HOST: readonly SteeringName[] = ['abort', 'quarantine', 'release', 'reinspect', 'power', 'approve', 'reject'];

/**
 * True: the message is forwarded to the host's run, which accepts or refuses it. So is a retry if the machine itself
 * has not failed.
 */
export const isForHost = (
  { name }: Pick<SteeringMessage, 'name'>,
  { hasFailed, hostAwaitsRetry }: KnownOfAnyMachine,
): boolean => FOR_HOST.includes(name) || (name === 'retry' && !hasFailed && hostAwaitsRetry);

/** Why a machine that is not paused refuses a message now, and what to send instead; undefined: it accepts it. */
export function anyMachineRefusal(
  machine: KnownOfAnyMachine,
  name: Exclude<SteeringName, 'pause' | 'resume'>,
): string | undefined {
  switch (name) {
    case 'retry':
      if (canRetry(machine)) return undefined;
      return machine.problem === undefined
        ? `nothing has failed: ${onward(machine)}`
        : `a retry does not help: ${machine.problem}`;
    case 'abort':
    case 'quarantine':
    case 'release':
    case 'reinspect':
    case 'power':
    case 'approve':
    case 'reject':
      if (machine.host !== '') return undefined;
      return machine.problem === undefined
        ? `it has no host yet, so ${name} cannot be forwarded: it waits for a host`
        : `it has no host, so ${name} cannot be forwarded: ${machine.problem}`;
    case 'forceDelete':
      return 'a machine is not deleted by force: delete its host by force, then the machine goes';
  }
}

const canRetry = ({ hasFailed, hostAwaitsRetry }: KnownOfAnyMachine): boolean => hasFailed || hostAwaitsRetry;

/** What makes a machine go on that is not paused. */
export const onward = (machine: KnownOfAnyMachine): string =>
  canRetry(machine) ? 'retry tries again what has failed' : 'it goes on by itself when something changes';

/** What a message changes on the machine. A message to its host changes the host, and not the machine. */
export const anyMachineChange = (machine: KnownOfAnyMachine, message: SteeringMessage): SteeringChange => ({
  annotations:
    message.name === 'retry' && !isForHost(message, machine)
      ? { [STEERING_ANNOTATIONS.retry]: annotationValue(message) }
      : {},
});

export const RETRY_FOLLOWED: FollowedAnnotation = { key: STEERING_ANNOTATIONS.retry, what: 'retry' };

/** Messages in the order in which they are listed; the run of the host lists what the host takes. */
const OFFERED: readonly SteeringMessage[] = [
  { name: 'retry', ...USER_AND_REASON },
  { name: 'resume', ...USER_AND_REASON },
  { name: 'pause', ...USER_AND_REASON },
];

/** Lines for the details of a machine's run. */
export const anyMachineDetails = (
  memory: WithSteered,
  {
    workflowId,
    host,
    problem,
    refusal,
  }: Pick<KnownOfAnyMachine, 'host' | 'problem'> & {
    readonly workflowId: string;
    readonly refusal: (message: SteeringMessage) => string | undefined;
  },
): readonly Markdown[] => [
  ...(problem === undefined ? [] : [markdown`\nA person has to help: ${problem}`]),
  ...steeringDetails(
    workflowId,
    memory,
    OFFERED.filter((message) => refusal(message) === undefined),
  ),
  ...(host === '' ? [] : [markdown`\nSent on to host ${host}: ${FOR_HOST.join(', ')}`]),
];
