import { runsWhatIsAsked } from '../../../domain/host/desired/deployed.ts';
import { isSameImage } from '../../../domain/ironic/deployment/image.ts';
import { RECORD } from '../../../domain/ironic/deployment/record.ts';
import { undeployMove } from '../../../domain/ironic/moves/undeploy.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import type { DeprovisionOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { readRecord } from '../../deployment-record.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { answerTo, patched, type Tools } from '../tools.ts';

/** Steps that lead to automated cleaning. Before them, `automated_clean` is set. */
const CLEANING = ['deleted', 'provide'];

/** Brings the node one step closer to `available`. `done` with an `active` node: what it runs stays. */
export async function undeployNode(tools: Tools, order: DeprovisionOrder): Promise<IronicAnswer> {
  const found = await tools.client.getNode(order.nodeId, { signal: tools.call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  const cleaning = patchFor(found, { '/automated_clean': order.automatedCleaningMode !== 'disabled' });
  const request = requestFor(tools, node.id);
  try {
    const isAskedForAgain = await runsIt(tools, order, found);
    return await carryOut(tools, node, undeployMove(node, { ...order, isAskedForAgain }), async (step) => {
      if (CLEANING.includes(step)) await patched(tools, found, cleaning);
      await request(step);
    });
  } catch (error) {
    return answerTo(error, node);
  }
}

/** True when the node runs what its host asks for again. The workflow does not know Ironic's record. */
async function runsIt(
  { hostData }: Tools,
  { host, askedAgain }: DeprovisionOrder,
  { instance_info: info }: NodeJson,
): Promise<boolean> {
  if (askedAgain === undefined) return false;
  const { image: sealed, customDeploy } = askedAgain.wish;
  const image = sealed && (await hostData.openedImage(host, sealed));
  const hasItsImage = isSameImage(info, {
    ...(image && { image }),
    ...(customDeploy && { customDeployMethod: customDeploy.method }),
  });
  return runsWhatIsAsked(askedAgain, readRecord(info[RECORD]), hasItsImage);
}
