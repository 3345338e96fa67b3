import type { HostOutcome } from '../../domain/host/step.ts';
import { isErasing } from '../../domain/ironic/moves/undeploy.ts';
import type { DeprovisionOrder } from '../../domain/ironic/orders.ts';
import { ended } from '../life/failed-run.ts';
import { ironic } from '../proxies.ts';
import { drive } from './drive.ts';
import { showDoing } from './show-doing.ts';

/** Removes the image from the server and cleans its disks as the host requests. */
export async function deprovisionWorkflow(order: DeprovisionOrder): Promise<HostOutcome> {
  showDoing(order, 'Remove the image, and clean the disks');
  const { isBegun: _, ...asking } = order;
  let isBegun = false;
  const outcome = await drive({
    order,
    ask: async (retry) => {
      const asked = { ...asking, retry, ...(isBegun && { isBegun }) };
      const answer = await ironic('Ask Ironic to undeploy').undeployNode(asked);
      isBegun ||= isErasing(answer);
      return answer;
    },
    retry: order.retry,
    goal: 'available',
    // A running deployment may fail before Ironic can be asked to undeploy.
    passing: ['deploy failed'],
    waitingFor: 'Wait for undeploying and cleaning',
    explain: (reason, node) => (node.state === 'clean failed' ? `Cleaning failed: ${reason}` : reason),
  });
  return ended(outcome);
}
