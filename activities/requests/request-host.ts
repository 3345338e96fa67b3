import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../domain/machine/step.ts';
import type { Kube } from '../../kube/client.ts';
import { hostPath } from '../../kube/paths.ts';
import { claim, hostWorkflowId, release } from '../../workflows/host/messages.ts';

/** `ticket` is the same for each attempt at one claim, and no other's. */
export interface Ticketed {
  readonly ticket: string;
}

/** A claim that the host's workflow did not take up, in its words. */
export type HostClaimAnswer = HostAnswer | { readonly kind: 'refused'; readonly message: string };

export interface HostRequestActivities {
  /** Has the workflow of the host give it to the machine, unless somebody else has it. Idempotent by the ticket. */
  requestHost(order: HostClaimOrder & Ticketed): Promise<HostClaimAnswer>;
  /** Has the workflow of the host take it back. Idempotent by the ticket. */
  returnHost(order: ReleaseOrder & Ticketed): Promise<HostAnswer>;
}

/** Claims go through the workflow of the host, one after the other: no host is ever given to two machines. */
export const createHostRequests = (client: Client, kube: Kube): HostRequestActivities => ({
  async requestHost({ ticket, ...order }: HostClaimOrder & Ticketed): Promise<HostClaimAnswer> {
    const handle = client.workflow.getHandle(hostWorkflowId(order.host));
    try {
      return await handle.executeUpdate(claim, { args: [order], updateId: ticket });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) return { kind: 'refused', message: reasonOf(error) };
      if (error instanceof WorkflowNotFoundError) return { kind: 'refused', message: 'nobody looks after it' };
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
      // A host that is there has a workflow again as soon as the bridge looks at it.
      if (!isGone) throw error;
      return { kind: 'host', host: null };
    }
  },
});

const reasonOf = (error: Error): string => (error.cause instanceof Error ? reasonOf(error.cause) : error.message);

/** The same ticket would be answered in the same way for ever. */
const refused = (error: WorkflowUpdateFailedError): ApplicationFailure =>
  ApplicationFailure.create({ type: 'Refused', nonRetryable: true, message: reasonOf(error), cause: error });
