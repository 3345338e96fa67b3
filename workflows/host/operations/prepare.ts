import type { Outcome } from '../../../domain/host/step.ts';
import type { PrepareOrder } from '../../../domain/ironic/orders.ts';
import { ironic } from '../../proxies.ts';
import { drive } from '../drive.ts';

/** Has the agent, or the BMC, build the machine's volumes and change its firmware, which Ironic calls manual cleaning. */
export async function prepareWorkflow(order: PrepareOrder): Promise<Outcome> {
  return drive({
    order,
    ask: (retry) => ironic('Ask Ironic for manual cleaning').prepareNode({ ...order, retry }),
    retry: order.retry,
    goal: 'manageable',
    waitingFor: 'Wait for manual cleaning',
  });
}
