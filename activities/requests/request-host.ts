import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../domain/machine/memory/step.ts';
import type { Kube } from '../../kube/client.ts';
import { hostPath } from '../../kube/paths.ts';
import { isPausedRun } from '../../platform/temporal/paused-run.ts';
import { claim, hostWorkflowId, release, STALE } from '../../workflows/messages.ts';

/** `ticket` is the same for all attempts of one claim, and different for every other. */
export interface Ticketed {
  readonly ticket: string;
}

/**
 * A claim that the host's workflow refused, with its message. `isUnknown`: the workflow tried, and got no answer; the
 * machine may have the host.
 */
export type HostClaimAnswer =
  | HostAnswer
  | { readonly kind: 'refused'; readonly message: string; readonly isUnknown?: true };

/** The host has no running workflow that could answer. */
export interface Unattended {
  readonly kind: 'unattended';
}

export interface HostRequestActivities {
  /** Has the workflow of the host give it to the machine, unless somebody else has it. Idempotent by the ticket. */
  requestHost(order: HostClaimOrder & Ticketed): Promise<HostClaimAnswer | Unattended>;
  /** Has the workflow of the host take it back. Idempotent by the ticket. */
  returnHost(order: ReleaseOrder & Ticketed): Promise<HostAnswer | Unattended>;
}

/** Claims go through the host's workflow, one after the other, so that a host never has two machines. */
export const createHostRequests = (client: Client, kube: Kube): HostRequestActivities => ({
  async requestHost({ ticket, ...order }: HostClaimOrder & Ticketed): Promise<HostClaimAnswer | Unattended> {
    const handle = client.workflow.getHandle(hostWorkflowId(order.host));
    try {
      return await handle.executeUpdate(claim, { args: [order], updateId: ticket });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) return claimRefusal(error);
      // The machine takes another host, if there is one.
      if (isPausedRun(error))
        return { kind: 'refused', message: `the run of host ${order.host.name} is paused in Temporal` };
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const found = await kube.find(hostPath(order.host));
      return found === undefined ? { kind: 'refused', message: 'it does not exist any more' } : { kind: 'unattended' };
    }
  },

  async returnHost({ ticket, ...order }: ReleaseOrder & Ticketed): Promise<HostAnswer | Unattended> {
    const handle = client.workflow.getHandle(hostWorkflowId(order.host));
    try {
      return await handle.executeUpdate(release, { args: [order], updateId: ticket });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) throw refused(error);
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const found = await kube.find(hostPath(order.host));
      return found === undefined ? { kind: 'host', host: null } : { kind: 'unattended' };
    }
  },
});

/** A retry with the same ticket would always get the same answer. */
const refused = (error: WorkflowUpdateFailedError): ApplicationFailure =>
  ApplicationFailure.create({ type: 'Refused', nonRetryable: true, message: reasonOf(error), cause: error });

/** What the machine gets for an update that failed. */
export const claimRefusal = (error: WorkflowUpdateFailedError): HostClaimAnswer => ({
  kind: 'refused',
  message: reasonOf(error),
  ...(isUnknown(error) && { isUnknown: true }),
});

/**
 * The activity that writes the claim ended without an answer from the API server, or with an error after the write. An
 * error that it does not retry is the refusal of the write, and an answer. Not so when the machine itself wants no host
 * any more: an earlier attempt may have written the claim, and another host would be refused in the same way.
 */
const isUnknown = (error: Error): boolean =>
  error instanceof ActivityFailure
    ? error.retryState !== RetryState.NON_RETRYABLE_FAILURE || isStale(error.cause)
    : error.cause instanceof Error && isUnknown(error.cause);

const isStale = (error: unknown): boolean => error instanceof ApplicationFailure && error.type === STALE;

/** The innermost message of a refused update: what the workflow said. */
export const reasonOf = (error: Error): string =>
  error.cause instanceof Error ? reasonOf(error.cause) : error.message;
