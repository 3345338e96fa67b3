import { steeringChange } from '../../domain/host/steering/change.ts';
import { possibleMessages } from '../../domain/host/steering/details.ts';
import type { SteeredHost } from '../../domain/host/steering/refusal.ts';
import { type SteeringMessage, titleOf } from '../../domain/steering/messages.ts';

/** Something that a person can do now, as commands. */
export interface Offer {
  readonly what: string;
  readonly temper: string;
  /** Does the same without Temporal. */
  readonly kubectl: string;
}

/** The offers for a host. The reader replaces `WHY` and `USER`, the own name in the API server, in the commands. */
export const offersFor = (namespace: string, host: SteeredHost): readonly Offer[] =>
  possibleMessages(host).map((message) => ({
    what: titleOf(message),
    temper: temperCommand(namespace, host.name, message),
    kubectl: kubectlCommand(namespace, host, message),
  }));

function temperCommand(namespace: string, name: string, message: SteeringMessage): string {
  const command = message.name === 'forceDelete' ? 'force-delete' : titleOf(message);
  const confirm = message.name === 'forceDelete' ? ` --confirm ${name}` : '';
  const code = isAnswer(message) ? ` --code ${message.code}` : '';
  return `npx temper ${command} host ${name} -n ${namespace}${code}${confirm} --reason WHY`;
}

function kubectlCommand(namespace: string, host: SteeredHost, message: SteeringMessage): string {
  const { annotations, spec } = steeringChange(host, { ...message, by: '', reason: 'WHY' });
  const kubectl = `kubectl -n ${namespace}`;
  if (spec !== undefined) return `${kubectl} patch bmh ${host.name} --type merge -p '${JSON.stringify({ spec })}'`;
  const changes = Object.entries(annotations).map(([key, value]) =>
    value === null ? `${key}-` : `${key}=${valueOf(message, value)}`,
  );
  return `${kubectl} annotate --overwrite bmh ${host.name} ${changes.join(' ')}`;
}

/** The value that a person writes: the reason, except for annotations whose value has a meaning. */
function valueOf(message: SteeringMessage, value: string): string {
  if (isAnswer(message)) return `'${message.code} USER WHY'`;
  const { name } = message;
  return name === 'reinspect' || name === 'power' || name === 'forceDelete' ? value : 'WHY';
}

const isAnswer = (message: SteeringMessage): message is Extract<SteeringMessage, { readonly code: string }> =>
  message.name === 'approve' || message.name === 'reject';
