import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../domain/machine/step.ts';
import type { Kube } from '../../kube/client.ts';
import { hostPath } from '../../kube/paths.ts';
import { claim, hostWorkflowId, release } from '../../workflows/host/messages.ts';

/** `ticket` is the same for all attempts of one claim, and different for every other. */
export interface Ticketed {
  readonly ticket: string;
}

/** A claim that the host's workflow refused, with its message. */
export type HostClaimAnswer = HostAnswer | { readonly kind: 'refused'; readonly message: string };

export interface HostRequestActivities {
  /** Claims the host through its workflow. Idempotent by the ticket. */
  requestHost(order: HostClaimOrder & Ticketed): Promise<HostClaimAnswer>;
  /** Releases the host through its workflow. Idempotent by the ticket. */
  returnHost(order: ReleaseOrder & Ticketed): Promise<HostAnswer>;
}

/** Claims go through the host's workflow, one after the other, so that a host never has two machines. */
export const createHostRequests = (client: Client, kube: Kube): HostRequestActivities => ({
  async requestHost({ ticket, ...order }: HostClaimOrder & Ticketed): Promise<HostClaimAnswer> {
    const handle = client.workflow.getHandle(hostWorkflowId(order.host));
    try {
      return await handle.executeUpdate(claim, { args: [order], updateId: ticket });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) return { kind: 'refused', message: reasonOf(error) };
      if (error instanceof WorkflowNotFoundError) return { kind: 'refused', message: 'it has no running workflow' };
      throw error;
    }
  },

  async returnHost({ ticket, ...order }: ReleaseOrder & Ticketed): Promise<HostAnswer> {
    const handle = client.workflow.getHandle(hostWorkflowId(order.host));
    try {
      return await handle.executeUpdate(release, { args: [order], updateId: ticket });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) throw refused(error);
      const isGone = error instanceof WorkflowNotFoundError && (await kube.find(hostPath(order.host))) === undefined;
      // An existing host gets a workflow again when the bridge reconciles it.
      if (!isGone) throw error;
      return { kind: 'host', host: null };
    }
  },
});

const reasonOf = (error: Error): string => (error.cause instanceof Error ? reasonOf(error.cause) : error.message);

/** A retry with the same ticket would always get the same answer. */
const refused = (error: WorkflowUpdateFailedError): ApplicationFailure =>
  ApplicationFailure.create({ type: 'Refused', nonRetryable: true, message: reasonOf(error), cause: error });
