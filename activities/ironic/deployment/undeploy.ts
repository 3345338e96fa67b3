import { isSameImage } from '../../../domain/ironic/deployment/image.ts';
import { undeployMove } from '../../../domain/ironic/moves/undeploy.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import type { DeprovisionOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { answerTo, patched, type Tools } from '../tools.ts';

/** Steps that lead to automated cleaning. Before them, `automated_clean` is set. */
const CLEANING = ['deleted', 'provide'];

/** Brings the node one step closer to `available`. `done` with an `active` node: its image stays. */
export async function undeployNode(tools: Tools, order: DeprovisionOrder): Promise<IronicAnswer> {
  const found = await tools.client.getNode(order.nodeId, { signal: tools.call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  const cleaning = patchFor(found, { '/automated_clean': order.automatedCleaningMode !== 'disabled' });
  const request = requestFor(tools, node.id);
  try {
    const isAskedForAgain = order.isAskedForAgain || (await runsWhatStays(tools, order, found));
    return await carryOut(tools, node, undeployMove(node, { ...order, isAskedForAgain }), async (step) => {
      if (CLEANING.includes(step)) await patched(tools, found, cleaning);
      await request(step);
    });
  } catch (error) {
    return answerTo(error, node);
  }
}

/** True when Ironic has recorded the image that the host asks for. The workflow does not know Ironic's record. */
async function runsWhatStays(
  { hostData }: Tools,
  { host, imageThatStays }: DeprovisionOrder,
  { instance_info: info }: NodeJson,
): Promise<boolean> {
  return imageThatStays !== undefined && isSameImage(info, { image: await hostData.openedImage(host, imageThatStays) });
}
