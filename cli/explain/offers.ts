import { possibleMessages } from '../../domain/host/steering/details.ts';
import { isAnswer, kubectlCommand } from '../../domain/host/steering/kubectl-command.ts';
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
