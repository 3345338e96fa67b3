import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import { isBegunByUs, isOccupied, occupiedInWords } from '../../../domain/ironic/occupied.ts';
import type { ExamineAnswer, ExamineOrder } from '../../../domain/ironic/orders.ts';
import type { Tools } from '../tools.ts';

/**
 * Reads the node of a free host on which something seems to run. `done` with an occupied node: we began to deploy it, and
 * the answer was lost. The mark stays: it says whose deployment that is until the node is undeployed.
 */
export async function examineNode(
  { client, call, settings, asking }: Tools,
  { nodeId }: ExamineOrder,
): Promise<ExamineAnswer> {
  const found = await client.getNode(nodeId, { signal: call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  return !isOccupied(node) || isBegunByUs(asking.earlier, found, settings.patience)
    ? { kind: 'done', node }
    : { kind: 'failed', message: occupiedInWords(node), node };
}
