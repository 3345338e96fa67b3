import { mediaMove } from '../../../domain/ironic/moves/media.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { MediaAnswer, MediaOrder } from '../../../domain/ironic/orders.ts';
import { secretsIn } from '../../../domain/urls/hidden.ts';
import { mediumUrlProblem } from '../../../domain/urls/image-url.ts';
import { HostDataError } from '../../host-data.ts';
import { isIronicRefusal, nodeBusy } from '../client/errors.ts';
import { changing, reasonOf, type Tools } from '../tools.ts';

/** Makes one change to the node's virtual drive, or only reads it. */
export async function changeMedia(tools: Tools, order: MediaOrder): Promise<MediaAnswer> {
  const { client, hostData, call } = tools;
  const { header, canSeeMedia } = await client.version(call.signal);
  if (!canSeeMedia) {
    const message = `ironic version=${header} doesn't support Virtual Media Get API, needs version>=1.93`;
    return { kind: 'failed', message };
  }
  const found = await client.getNode(order.nodeId, { signal: call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  if (node.locked) throw nodeBusy(node.id, 'change the virtual drive of', 'Ironic is busy with it');
  const options = { signal: call.signal };
  try {
    const inserted = await client.hasMedium(node.id, options);
    const move = mediaMove({ ...order, inserted });
    switch (move) {
      case 'done':
        return { kind: 'done', attached: order.wanted ?? (inserted ? order.attached : '') };
      case 'failed':
        return { kind: 'failed', message: await reasonOf(tools, node) };
      case 'attach': {
        const url = await hostData.openedUrl(order.host, order.wanted ?? '').catch(anotherImage);
        if (typeof url !== 'string') return url;
        const problem = mediumUrlProblem(url);
        if (problem !== undefined) return { kind: 'failed', message: problem };
        await changing(tools, node.id, client.insertMedium(node.id, url, { ...options, secrets: secretsIn(url) }));
        return { kind: 'started', asked: 'attach' };
      }
      case 'detach':
        await changing(tools, node.id, client.ejectMedium(node.id, options));
        return { kind: 'started', asked: 'detach' };
    }
  } catch (error) {
    if (isIronicRefusal(error, 404)) return { kind: 'lost' };
    if (isIronicRefusal(error)) return { kind: 'failed', message: error.said };
    throw error;
  }
}

/**
 * Not retried: the workflow would wait for this order, although its next attempt uses the URL that it knows by then.
 */
function anotherImage(error: unknown): MediaAnswer {
  if (!(error instanceof HostDataError)) throw error;
  return { kind: 'failed', message: error.message };
}
