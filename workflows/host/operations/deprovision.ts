import type { Outcome } from '../../../domain/host/step.ts';
import type { DeprovisionOrder } from '../../../domain/ironic/orders.ts';
import { ironic } from '../../proxies.ts';
import { drive } from '../drive.ts';

/** Takes the image off the machine and cleans its disks as far as the host asks for it. */
export async function deprovisionWorkflow(order: DeprovisionOrder): Promise<Outcome> {
  return drive({
    order,
    ask: (retry) => ironic('Ask Ironic to undeploy').undeployNode({ ...order, retry }),
    retry: order.retry,
    goal: 'available',
    // A deployment that was under way may fail before Ironic can be told to take it down.
    passing: ['deploy failed'],
    waitingFor: 'Wait for undeploying and cleaning',
    explain: (reason, node) => (node.state === 'clean failed' ? `Cleaning failed: ${reason}` : reason),
  });
}
