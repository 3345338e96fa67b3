import type { HostOutcome } from '../../domain/host/step.ts';
import type { PrepareOrder } from '../../domain/ironic/orders.ts';
import { ended } from '../life/failed-run.ts';
import { ironic } from '../proxies.ts';
import { drive } from './drive.ts';
import { showDoing } from './show-doing.ts';

/** Has the agent, or the BMC, build RAID volumes and change firmware, by Ironic's manual cleaning. */
export async function prepareWorkflow(order: PrepareOrder): Promise<HostOutcome> {
  showDoing(order, 'Build RAID volumes, and change firmware');
  const outcome = await drive({
    order,
    ask: (retry) => ironic('Ask Ironic for manual cleaning').prepareNode({ ...order, retry }),
    retry: order.retry,
    goal: 'manageable',
    waitingFor: 'Wait for manual cleaning',
  });
  return ended(outcome);
}
