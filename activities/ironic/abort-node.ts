import { abortMove } from '../../domain/ironic/moves/abort.ts';
import type { IronicAnswer } from '../../domain/ironic/orders.ts';
import { moveNode } from './carry-out.ts';
import type { Tools } from './tools.ts';

/** Aborts Ironic's operation on the node, if its state allows that. */
export async function abortNode(tools: Tools, nodeId: string): Promise<IronicAnswer> {
  const { canAbortDeploy } = await tools.client.version(tools.call.signal);
  return moveNode(tools, nodeId, (node) => abortMove(node, canAbortDeploy));
}
