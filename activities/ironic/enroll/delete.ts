import { deleteMove, staysInIronic } from '../../../domain/ironic/moves/delete.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import { nodeName } from '../../../domain/ironic/node/node.ts';
import type { DeleteOrder, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { isIronicRefusal } from '../client/errors.ts';
import { answerTo, type Tools } from '../tools.ts';
import { inTurn, type NodeTurn, patched } from '../turn.ts';

/** Shown by Ironic with the node until it is deleted. */
const REASON = 'forcing deletion in temper';

/** Brings the node one step closer to its deletion; `lost` means deleted. */
export async function deleteNode(tools: Tools, order: DeleteOrder): Promise<IronicAnswer> {
  const id = order.nodeId === '' ? nodeName(order.host) : order.nodeId;
  let last: IronicNode | undefined;
  try {
    return await inTurn(tools, { host: order.host, urgency: 'first' }, async (turn) => {
      const found = (await turn.look(id)) ?? (await turn.lookForCreated());
      if (found === undefined) return { kind: 'lost' };
      last = nodeFacts(found);
      try {
        return await deleteFrom(tools, turn, last, order);
      } catch (error) {
        if (!isIronicRefusal(error, 400, 409)) throw error;
      }
      // The node still has an instance, or its state has changed.
      return await releaseAndDelete(tools, turn, found.uuid, order);
    });
  } catch (error) {
    if (last === undefined) throw error;
    return answerTo(error, last);
  }
}

async function releaseAndDelete(tools: Tools, turn: NodeTurn, id: string, order: DeleteOrder): Promise<IronicAnswer> {
  const found = await turn.look(id);
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  if (staysInIronic(node, order)) return { kind: 'done', node };
  if (found.instance_uuid !== null && deleteMove(node, false).kind === 'release')
    await patched(tools, turn, found, [{ op: 'remove', path: '/instance_uuid' }]);
  return deleteFrom(tools, turn, node, order);
}

async function deleteFrom(tools: Tools, turn: NodeTurn, node: IronicNode, order: DeleteOrder): Promise<IronicAnswer> {
  if (staysInIronic(node, order)) return { kind: 'done', node };
  const { client, call } = tools;
  const { canAbortDeploy } = await client.version(call.signal);
  const move = deleteMove(node, canAbortDeploy, order.isForced);
  switch (move.kind) {
    case 'wait':
    case 'go':
      return carryOut(tools, node, move, requestFor(tools, turn, node.id));
    case 'force':
      await turn.send(node.id, (change) => client.setMaintenance(node.id, REASON, change));
      break;
    case 'delete':
    case 'release':
      break;
  }
  await turn.send(node.id, (change) => client.deleteNode(node.id, change), 'delete');
  return { kind: 'lost' };
}
