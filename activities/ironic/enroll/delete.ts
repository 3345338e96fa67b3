import { deleteMove } from '../../../domain/ironic/moves/delete.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import { nodeName } from '../../../domain/ironic/node/node.ts';
import type { DeleteOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { carryOut } from '../carry-out.ts';
import { isIronicRefusal } from '../client/errors.ts';
import { answerTo, changing, lookAt, type Tools } from '../tools.ts';

/** Shown by Ironic with the node until it is deleted. */
const REASON = 'forcing deletion in temper';

/** Brings the node one step closer to its deletion; `lost` means deleted. */
export async function deleteNode(tools: Tools, order: DeleteOrder): Promise<IronicAnswer> {
  const id = order.nodeId === '' ? nodeName(order.host) : order.nodeId;
  // A node from a recent list is good enough: Ironic refuses to delete one that has changed.
  const seen = tools.poller.recent(id) ?? (await lookAt(tools, id));
  if (seen === undefined) return { kind: 'lost' };
  try {
    return await deleteFrom(tools, seen, order);
  } catch (error) {
    if (!isIronicRefusal(error, 400, 409)) return answerTo(error, seen);
  }
  // The node still has an instance, or its state has changed.
  const found = await tools.client.getNode(id, { signal: tools.call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  try {
    if (found.instance_uuid !== null && deleteMove(node, false).kind === 'release') {
      const release = [{ op: 'remove', path: '/instance_uuid' }] as const;
      await changing(tools, node.id, tools.client.patchNode(node.id, release, { signal: tools.call.signal }));
    }
    return await deleteFrom(tools, node, order);
  } catch (error) {
    return answerTo(error, node);
  }
}

async function deleteFrom(tools: Tools, node: IronicNode, { isForced }: DeleteOrder): Promise<IronicAnswer> {
  const { client, call } = tools;
  const options = { signal: call.signal };
  const { canAbortDeploy } = await client.version(call.signal);
  const move = deleteMove(node, canAbortDeploy, isForced);
  switch (move.kind) {
    case 'wait':
    case 'go':
      return carryOut(tools, node, move);
    case 'force':
      await changing(tools, node.id, client.setMaintenance(node.id, REASON, options));
      break;
    case 'delete':
    case 'release':
      break;
  }
  await changing(tools, node.id, client.deleteNode(node.id, options));
  return { kind: 'lost' };
}
