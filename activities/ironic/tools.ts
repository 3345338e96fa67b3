import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { IronicAnswer } from '../../domain/ironic/orders.ts';
import type { SignalFailing } from '../../platform/temporal/failing-requests.ts';
import type { HostData } from '../host-data.ts';
import type { Asking } from '../permits/permit.ts';
import type { IronicClient } from './client/client.ts';
import { isIronicRefusal, isNodeGone } from './client/errors.ts';
import type { ActivityCall, IronicLog } from './context.ts';
import type { MarkAges } from './mark-ages.ts';
import type { NodePoller } from './poll/poller.ts';
import type { IronicSettings } from './settings.ts';

/** Dependencies of all operations: the clients of the process and the context of the call. */
export interface ReadingTools {
  readonly client: IronicClient;
  readonly poller: NodePoller;
  readonly hostData: HostData;
  readonly settings: IronicSettings;
  readonly log: IronicLog;
  readonly tell: SignalFailing;
  readonly call: ActivityCall;
}

/** Dependencies of the operations that change something. */
export interface Tools extends ReadingTools {
  /** Asks the BareMetalHost before each request that changes something. */
  readonly asking: Asking;
  readonly markAge: MarkAges;
}

/** Why a node failed, in Ironic's words: its last error, else the newest error in its history. Never empty. */
export async function reasonOf(
  { client, call }: Pick<ReadingTools, 'client' | 'call'>,
  node: IronicNode,
): Promise<string> {
  if (node.lastError !== null) return node.lastError;
  const remembered = await client.newestError(node.id, { signal: call.signal });
  return remembered?.trim() || `Ironic gives no reason: node ${node.id} is in state '${node.state}'`;
}

/** The answer to a refusal: an unknown node is `lost`, anything else a failure with Ironic's own message. */
export function answerTo(error: unknown, node: IronicNode): IronicAnswer {
  if (isNodeGone(error)) return { kind: 'lost' };
  if (isIronicRefusal(error)) return { kind: 'failed', message: error.said, node };
  throw error;
}

/** Why the node failed: some drivers clear last_error, and then only the node's history has the reason. */
export async function explainFailure(
  tools: Pick<ReadingTools, 'client' | 'call'>,
  nodeId: string,
): Promise<{ readonly message: string }> {
  const node = await tools.client.getNode(nodeId, { signal: tools.call.signal });
  return {
    message: node === undefined ? `Ironic does not know node ${nodeId}` : await reasonOf(tools, nodeFacts(node)),
  };
}
