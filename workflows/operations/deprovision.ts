import type { HostOutcome } from '../../domain/host/step.ts';
import type { DeprovisionOrder } from '../../domain/ironic/orders.ts';
import { ironic } from '../proxies.ts';
import { drive } from './drive.ts';

/** Removes the image from the server and cleans its disks as the host requests. */
export async function deprovisionWorkflow(order: DeprovisionOrder): Promise<HostOutcome> {
  return drive({
    order,
    ask: (retry) => ironic('Ask Ironic to undeploy').undeployNode({ ...order, retry }),
    retry: order.retry,
    goal: 'available',
    // A running deployment may fail before Ironic can be asked to undeploy.
    passing: ['deploy failed'],
    waitingFor: 'Wait for undeploying and cleaning',
    explain: (reason, node) => (node.state === 'clean failed' ? `Cleaning failed: ${reason}` : reason),
  });
}
