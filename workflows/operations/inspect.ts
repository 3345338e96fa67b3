import type { HostOutcome } from '../../domain/host/step.ts';
import type { InspectOrder } from '../../domain/ironic/orders.ts';
import { ended } from '../life/failed-run.ts';
import { ironic } from '../proxies.ts';
import { drive } from './drive.ts';
import { showDoing } from './show-doing.ts';

/** Boots the agent, or asks the BMC, for the server's inventory and stores it as HardwareData. */
export async function inspectWorkflow(order: InspectOrder): Promise<HostOutcome> {
  showDoing(order, 'Inspect the hardware');
  let forcedBy = order.forcedBy ?? [];
  const inspected = await drive({
    order,
    ask: (retry) => {
      const asked = { ...order, retry, forcedBy };
      forcedBy = [];
      return ironic('Ask Ironic to inspect').startInspection(asked);
    },
    retry: order.retry,
    goal: 'manageable',
    // The next request decides whether the inspection failed, or was aborted and starts again.
    passing: ['inspect failed'],
    waitingFor: 'Wait for the inspection',
  });
  if (inspected.kind !== 'done') return ended(inspected);
  const inventory = await ironic('Store the inventory as HardwareData').saveInventory({
    host: order.host,
    nodeId: order.nodeId,
  });
  return { ...inspected, inventory };
}
