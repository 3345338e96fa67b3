import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { HostClaimAnswer, HostRequestActivities, Ticketed } from '../activities/host-requests.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../domain/machine/step.ts';
import type { Kube } from '../kube/client.ts';
import { hostPath } from '../kube/paths.ts';
import { claim, hostWorkflowId, release } from '../workflows/host/messages.ts';

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
