import { runsWhatIsAsked } from '../../../domain/host/desired/deployed.ts';
import { withdrawalChanges } from '../../../domain/ironic/deployment/deployment.ts';
import { isSameImage } from '../../../domain/ironic/deployment/image.ts';
import { RECORD } from '../../../domain/ironic/deployment/record.ts';
import { undeployMove } from '../../../domain/ironic/moves/undeploy.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import { isOccupied, occupiedInWords } from '../../../domain/ironic/occupied.ts';
import type { DeprovisionOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { readRecord } from '../../deployment-record.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { answerTo, type Tools } from '../tools.ts';
import { inTurn, patched } from '../turn.ts';
import { isByTemper } from './by-temper.ts';

/** Steps that lead to automated cleaning. Before them, `automated_clean` is set. */
const CLEANING = ['deleted', 'provide'];

/**
 * Brings the node one step closer to `available`. `done` with an `active` node: what it runs stays. For a host that is
 * being deleted, before all that others want to change.
 */
export async function undeployNode(tools: Tools, order: DeprovisionOrder): Promise<IronicAnswer> {
  const image = await askedAgainImage(tools, order);
  const urgency = order.isLeaving === true ? 'first' : 'usual';
  return inTurn(tools, { host: order.host, urgency }, async (turn) => {
    const found = await turn.look(order.nodeId);
    if (found === undefined) return { kind: 'lost' };
    const node = nodeFacts(found);
    if (isOfOther(tools, order, found)) return { kind: 'failed', message: occupiedInWords(node), node };
    const cleaning = patchFor(found, { '/automated_clean': order.automatedCleaningMode !== 'disabled' });
    const request = requestFor(tools, turn, node.id);
    const isAskedForAgain = runsIt(order, image, found);
    if (isAskedForAgain) turn.settle();
    try {
      if (node.state === 'available' && !isAskedForAgain)
        await patched(tools, turn, found, withdrawalChanges(found, order.host.uid));
      return await carryOut(tools, node, undeployMove(node, { ...order, isAskedForAgain }), async (step) => {
        if (CLEANING.includes(step)) await patched(tools, turn, found, cleaning);
        await request(step);
      });
    } catch (error) {
      return answerTo(error, node);
    }
  });
}

/** True when the node has the instance of somebody else, and the host does not show that anything is deployed on it. */
const isOfOther = (tools: Tools, { host, isShown }: DeprovisionOrder, node: NodeJson): boolean =>
  isShown !== true && isOccupied(nodeFacts(node)) && node.instance_uuid !== null && !isByTemper(tools, node, host);

/** The image that the host asks for again, with the secrets in its URLs. */
async function askedAgainImage(
  { hostData }: Tools,
  { host, askedAgain }: DeprovisionOrder,
): Promise<DeprovisionOrder['image']> {
  const sealed = askedAgain?.desired.image;
  return sealed && (await hostData.openedImage(host, sealed));
}

/** True when the node runs what its host asks for again. The workflow does not know Ironic's record. */
function runsIt(
  { askedAgain }: DeprovisionOrder,
  image: DeprovisionOrder['image'],
  { instance_info: info }: NodeJson,
): boolean {
  if (askedAgain === undefined) return false;
  const { customDeploy } = askedAgain.desired;
  const hasItsImage = isSameImage(info, {
    ...(image && { image }),
    ...(customDeploy && { customDeployMethod: customDeploy.method }),
  });
  return runsWhatIsAsked(askedAgain, readRecord(info[RECORD]), hasItsImage);
}
