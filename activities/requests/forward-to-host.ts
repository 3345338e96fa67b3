import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { unpauseCommand } from '../../domain/entity/paused-run.ts';
import { type Claimant, isConsumer } from '../../domain/machine/choose-host/host-facts.ts';
import type { HostOrder } from '../../domain/machine/memory/step.ts';
import { whyMovedAway } from '../../domain/machine/steering/refusal.ts';
import { steeredElsewhere } from '../../domain/machine-api/steering.ts';
import { LONGEST_NAME, type SteeringMessage } from '../../domain/steering/messages.ts';
import type { Kube } from '../../kube/client.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hostPath } from '../../kube/paths.ts';
import { isPausedRun } from '../../platform/temporal/paused-run.ts';
import { hostWorkflowId, STEERING_MESSAGES } from '../../workflows/messages.ts';
import { findClaimant, whyNotOurs } from '../kubernetes/machine/machine-now.ts';
import type { Ticketed } from './request-host.ts';
import { reasonOf } from './request-host.ts';

export type ForwardAnswer =
  | { readonly kind: 'done'; readonly said: string }
  | { readonly kind: 'refused'; readonly why: string };

/** A message to a machine, for its host. */
export interface ForwardOrder extends HostOrder, Ticketed {
  /** A run that was begun before orders had the uid of the machine sends none. */
  readonly machine: Claimant & { readonly uid: string | undefined };
  readonly message: SteeringMessage;
}

export interface ForwardingActivities {
  /** Sends a message of a person to the run of the machine's host, which judges it. Idempotent by the ticket. */
  forwardToHost(order: ForwardOrder): Promise<ForwardAnswer>;
}

/** Why the machine as it is now takes no message for its host: its run may have an old snapshot. */
async function whyNotForwarded(kube: Kube, machine: ForwardOrder['machine']): Promise<string | undefined> {
  const found = await findClaimant(kube, machine);
  const metadata = found === undefined ? undefined : readMetadata(found);
  if (metadata === undefined || (machine.uid !== undefined && machine.uid !== metadata.uid))
    return 'it does not exist any more';
  return machine.api === undefined ? whyMovedAway(metadata) : whyNotOurs(found, machine, steeredElsewhere);
}

/** The reason of a refusal without the message and the host, which the run of the host puts before it. */
function whyRefused(error: Error, message: string, host: string): string {
  const said = reasonOf(error);
  const prefix = `${message} ${host}: `;
  return said.startsWith(prefix) ? said.slice(prefix.length) : said;
}

/** `temporalCommand`: how people call Temporal's command line. */
export const createForwarding = (client: Client, kube: Kube, temporalCommand: string): ForwardingActivities => ({
  async forwardToHost({ host, machine, message, ticket }) {
    const problem = await whyNotForwarded(kube, machine);
    if (problem !== undefined) return { kind: 'refused', why: problem };
    const found = await kube.find(hostPath(host));
    const facts = found === undefined ? undefined : readHostFacts(found);
    if (facts?.uid !== host.uid || !isConsumer(facts.consumer, machine))
      return { kind: 'refused', why: `host ${host.name} does not belong to it` };
    const { name, ...input } = message;
    const by = `${message.by} for machine ${machine.name}`.slice(0, LONGEST_NAME);
    const { asUpdate } = STEERING_MESSAGES[name];
    const workflowId = hostWorkflowId(host);
    try {
      const said = await client.workflow
        .getHandle(workflowId)
        .executeUpdate(asUpdate, { args: [{ ...input, by }], updateId: ticket });
      return { kind: 'done', said };
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError)
        return { kind: 'refused', why: `host ${host.name} refuses it: ${whyRefused(error, name, host.name)}` };
      if (isPausedRun(error))
        return {
          kind: 'refused',
          why: `the run of host ${host.name} is paused in Temporal: ${unpauseCommand(workflowId, temporalCommand)}`,
        };
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      return {
        kind: 'refused',
        why: `host ${host.name} has no run in Temporal: the bridge starts it again within a minute`,
      };
    }
  },
});
