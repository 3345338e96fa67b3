import { abortMove } from '../../domain/ironic/moves/abort.ts';
import type { IronicAnswer } from '../../domain/ironic/orders.ts';
import { moveNode, type NodeMove } from './carry-out.ts';
import type { Tools } from './tools.ts';

/** Aborts Ironic's operation on the node, if its state allows that. */
export async function abortNode(
  tools: Tools,
  { host, nodeId }: Pick<NodeMove, 'host' | 'nodeId'>,
): Promise<IronicAnswer> {
  const { canAbortDeploy } = await tools.client.version(tools.call.signal);
  return moveNode(tools, { host, nodeId, urgency: 'first', decide: (node) => abortMove(node, canAbortDeploy) });
}
