import type { Markdown } from '../../entity/markdown.ts';
import { steeringDetails, USER_AND_REASON } from '../../steering/details.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import type { HostMemory } from '../memory/memory.ts';
import { type SteeredHost, steeredHost, steeringRefusal } from './refusal.ts';

/** Messages in the order in which they are listed. */
const offered = (host: string, code: string): readonly SteeringMessage[] => [
  { name: 'approve', code, ...USER_AND_REASON },
  { name: 'reject', code, ...USER_AND_REASON },
  { name: 'retry', ...USER_AND_REASON },
  { name: 'abort', ...USER_AND_REASON },
  { name: 'resume', ...USER_AND_REASON },
  { name: 'release', ...USER_AND_REASON },
  { name: 'pause', ...USER_AND_REASON },
  { name: 'quarantine', ...USER_AND_REASON },
  { name: 'reinspect', ...USER_AND_REASON },
  { name: 'power', to: 'reboot', ...USER_AND_REASON },
  { name: 'power', to: 'on', ...USER_AND_REASON },
  { name: 'power', to: 'off', ...USER_AND_REASON },
  { name: 'forceDelete', confirm: host, ...USER_AND_REASON },
];

/** Lines for the details of a host's run. */
export function hostSteeringDetails(memory: HostMemory): readonly Markdown[] {
  const { namespace, name } = memory.seen;
  return steeringDetails(`baremetalhost/${namespace}/${name}`, memory, possibleMessages(steeredHost(memory)));
}

/** The messages that the host takes now. */
export const possibleMessages = (host: SteeredHost): readonly SteeringMessage[] =>
  offered(host.name, host.awaits?.code ?? '').filter((message) => steeringRefusal(host, message) === undefined);
