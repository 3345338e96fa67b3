import type { HostOutcome } from '../../domain/host/step.ts';
import { imageProblem } from '../../domain/ironic/deployment/image.ts';
import type { ProvisionOrder } from '../../domain/ironic/orders.ts';
import { publicPart } from '../../domain/urls/hidden.ts';
import { ended } from '../life/failed-run.ts';
import { ironic } from '../proxies.ts';
import { drive } from './drive.ts';
import { showDoing } from './show-doing.ts';

/** Cleans the node, writes the image with its config drive, and boots into it. */
export async function provisionWorkflow(order: ProvisionOrder): Promise<HostOutcome> {
  return ended(await provision(order));
}

async function provision(order: ProvisionOrder): Promise<HostOutcome> {
  const { host, nodeId, image } = order;
  // Reported before the cleaning, which takes hours and would not help.
  const problem = imageProblem(order);
  if (problem !== undefined) return { kind: 'failed', message: problem };
  showDoing(order, 'Clean the disks, and make the node available');
  const cleaned = await drive({
    order,
    ask: (retry) =>
      ironic('Ask Ironic to make the node available').provideNode({ host, nodeId, retry, deployment: order }),
    retry: order.retry,
    goal: 'available',
    waitingFor: 'Wait for cleaning',
    explain: (reason) => `Cleaning failed: ${reason}`,
  });
  if (cleaned.kind !== 'done') return cleaned;
  showDoing(order, `Deploy ${publicPart(image?.url ?? '') || 'by a custom step'}`);
  const checksum = image?.checksum === undefined ? '' : `, checksum: ${publicPart(image.checksum)}`;
  let forcedBy = order.forcedBy ?? [];
  return drive({
    order,
    ask: (retry) => {
      const asked = { ...order, retry, forcedBy };
      forcedBy = [];
      return ironic('Ask Ironic to deploy the image').deployNode(asked);
    },
    retry: order.retry,
    goal: 'active',
    waitingFor: 'Wait for the deployment',
    explain: (reason) => `Image provisioning failed (url: ${publicPart(image?.url ?? '')}${checksum}): ${reason}`,
  });
}
