import type { InspectOrder } from '../../../domain/host/orders.ts';
import type { Outcome } from '../../../domain/host/step.ts';
import { ironic } from '../../proxies.ts';
import { drive } from '../drive.ts';

/** Boots the agent, or asks the BMC, for the machine's inventory and stores it as HardwareData. */
export async function inspectWorkflow(order: InspectOrder): Promise<Outcome> {
  const inspected = await drive({
    order,
    ask: (retry) => ironic('Ask Ironic to inspect').startInspection({ ...order, retry }),
    retry: order.retry,
    goal: 'manageable',
    waitingFor: 'Wait for the inspection',
  });
  if (inspected.kind !== 'done') return inspected;
  const inventory = await ironic('Store the inventory as HardwareData').saveInventory({
    host: order.host,
    nodeId: order.nodeId,
  });
  return { ...inspected, inventory };
}
