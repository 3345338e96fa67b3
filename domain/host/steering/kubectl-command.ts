import type { SteeringMessage } from '../../steering/messages.ts';
import { steeringChange } from './change.ts';
import type { SteeredHost } from './refusal.ts';

/**
 * What a message changes on the host, as a command to copy. The reader replaces `WHY` and `USER`, the own name in the
 * API server.
 */
export function kubectlCommand(
  namespace: string,
  host: Pick<SteeredHost, 'name' | 'annotations'>,
  message: SteeringMessage,
): string {
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

/** True for an answer to a step that waits for approval. */
export const isAnswer = (message: SteeringMessage): message is Extract<SteeringMessage, { readonly code: string }> =>
  message.name === 'approve' || message.name === 'reject';
