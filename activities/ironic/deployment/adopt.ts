import { imageInfo } from '../../../domain/ironic/deployment/image.ts';
import { type DeploymentRecord, RECORD, recordChange, recordOf } from '../../../domain/ironic/deployment/record.ts';
import { adoptionTold, adoptMove } from '../../../domain/ironic/moves/adopt.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import type { AdoptOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { same } from '../../../domain/same.ts';
import { secretsIn } from '../../../domain/urls/hidden.ts';
import { readRecord } from '../../deployment-record.ts';
import { HostDataError } from '../../host-data.ts';
import { moveNode, requestFor } from '../carry-out.ts';
import type { Tools } from '../tools.ts';
import { type NodeTurn, patched } from '../turn.ts';

/** Ironic refuses to adopt a node if it cannot parse the URL of its image. */
const READABLE = /^(https?|oci):\/\//i;

/**
 * Tells Ironic that the node is in use, and what was deployed on it. A run that lost the deployment, because etcd was
 * restored, finds the image there and does not deploy it again.
 */
export async function adoptNode(tools: Tools, order: AdoptOrder): Promise<IronicAnswer> {
  const image = await openedImage(tools, order);
  const answer = await moveNode(tools, {
    ...order,
    decide: (node) => adoptMove(node, order),
    take: (turn) => {
      const request = requestFor(tools, turn, order.nodeId);
      return async (step) => {
        if (step === 'adopt') await recordDeployment(tools, turn, order, image);
        await request(step);
      };
    },
  });
  return adoptionTold(answer);
}

/** With which data it was deployed is not known. */
async function recordDeployment(
  tools: Tools,
  turn: NodeTurn,
  order: AdoptOrder,
  image: AdoptOrder['image'],
): Promise<void> {
  const isReadable = image !== undefined && READABLE.test(image.url);
  if (!isReadable && order.customDeployMethod === undefined) return;
  const found = await tools.client.getNode(order.nodeId, { signal: tools.call.signal });
  if (found === undefined) return;
  const info = isReadable ? Object.entries(imageInfo({ ...order, image })) : [];
  const changes = patchFor(found, {
    ...Object.fromEntries(info.map(([key, value]) => [`/instance_info/${key}`, value])),
    ...recordChange(withWhatIsKnown(recordOf(order), readRecord(found.instance_info[RECORD]))),
  });
  const secrets = image === undefined ? [] : [image.url, image.checksum ?? ''].flatMap(secretsIn);
  await patched(tools, turn, found, changes, { secrets });
}

/** Of the same deployment, the node may know more. */
const withWhatIsKnown = (record: DeploymentRecord, known: DeploymentRecord | undefined): DeploymentRecord =>
  known !== undefined && same({ ...known, data: undefined, attempt: undefined }, record) ? known : record;

/** undefined when the host no longer has the secrets of its image's URL: the node is adopted without them. */
async function openedImage({ hostData }: Tools, { host, image }: AdoptOrder): Promise<AdoptOrder['image']> {
  if (image === undefined) return undefined;
  try {
    return await hostData.openedImage(host, image);
  } catch (error) {
    if (error instanceof HostDataError) return undefined;
    throw error;
  }
}
