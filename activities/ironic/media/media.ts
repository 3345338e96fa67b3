import { mediaMove } from '../../../domain/ironic/moves/media.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { MediaAnswer, MediaOrder } from '../../../domain/ironic/orders.ts';
import { secretsIn } from '../../../domain/urls/hidden.ts';
import { mediumUrlProblem } from '../../../domain/urls/image-url.ts';
import { HostDataError } from '../../host-data.ts';
import { isIronicRefusal, isNodeGone, nodeBusy } from '../client/errors.ts';
import { reasonOf, type Tools } from '../tools.ts';
import { inTurn } from '../turn.ts';

/** Makes one change to the node's virtual drive, or only reads it. */
export async function changeMedia(tools: Tools, order: MediaOrder): Promise<MediaAnswer> {
  const { client, hostData, call } = tools;
  const { header, canSeeMedia } = await client.version(call.signal);
  if (!canSeeMedia) {
    const message = `ironic version=${header} doesn't support Virtual Media Get API, needs version>=1.93`;
    return { kind: 'failed', message };
  }
  const opened = order.desired ? await hostData.openedUrl(order.host, order.desired).catch(anotherImage) : '';
  if (typeof opened !== 'string') return opened;
  const problem = order.desired ? mediumUrlProblem(opened) : undefined;
  if (problem !== undefined) return { kind: 'failed', message: problem };
  return inTurn(tools, { host: order.host }, async (turn) => {
    const found = await turn.look(order.nodeId);
    if (found === undefined) return { kind: 'lost' };
    const node = nodeFacts(found);
    if (node.locked) throw nodeBusy(node.id, 'change the virtual drive of', 'Ironic is busy with it');
    try {
      const inserted = await client.hasMedium(node.id, { signal: call.signal });
      const move = mediaMove({ ...order, inserted });
      switch (move) {
        case 'done':
          return driveAnswer(order, inserted);
        case 'failed':
          return { kind: 'failed', message: await reasonOf(tools, node) };
        case 'attach':
          await turn.send(node.id, (change) =>
            client.insertMedium(node.id, opened, { ...change, secrets: secretsIn(opened) }),
          );
          return { kind: 'started', requested: 'attach' };
        case 'detach':
          await turn.send(node.id, (change) => client.ejectMedium(node.id, change));
          return { kind: 'started', requested: 'detach' };
      }
    } catch (error) {
      if (isNodeGone(error)) return { kind: 'lost' };
      if (isIronicRefusal(error)) return { kind: 'failed', message: error.said };
      throw error;
    }
  });
}

/** Ironic does not say which medium is in the drive. */
function driveAnswer({ desired, attached }: MediaOrder, inserted: boolean): MediaAnswer {
  if (desired !== null) return { kind: 'done', attached: desired };
  if (!inserted) return { kind: 'done', attached: '' };
  return { kind: 'done', attached, ...(attached === '' && { holdsUnknown: true }) };
}

/**
 * Not retried: the workflow would wait for this order, although its next attempt uses the URL that it knows by then.
 */
function anotherImage(error: unknown): MediaAnswer {
  if (!(error instanceof HostDataError)) throw error;
  return { kind: 'failed', message: error.message };
}
