import { nodeFacts } from '../../domain/ironic/facts.ts';
import { reasonOf, type Tools } from './tools.ts';

/** Why the node failed: some drivers wipe last_error, and then only the node's history knows. */
export async function explainFailure(tools: Tools, nodeId: string): Promise<{ readonly message: string }> {
  const node = await tools.client.getNode(nodeId, { signal: tools.call.signal });
  return {
    message: node === undefined ? `Ironic does not know node ${nodeId}` : await reasonOf(tools, nodeFacts(node)),
  };
}
