import type { HostOutcome } from '../../domain/host/step.ts';
import { FAILED_NODE_STATES, type IronicNode, type NodeState } from '../../domain/ironic/node/node.ts';
import type { HostRef, IronicAnswer, WaitOrder } from '../../domain/ironic/orders.ts';
import { ironic, waiting } from '../proxies.ts';

/** Rounds of requests and waits after which a node that does not reach its goal is given up. */
const ROUNDS = 6;

interface Drive {
  readonly order: { readonly host: HostRef; readonly nodeId: string };
  /** Requests the next move from Ironic; `retry` is true only in the first round of a retry. */
  readonly ask: (retry: boolean) => Promise<IronicAnswer>;
  readonly retry: boolean;
  /** The state in which the node should end. */
  readonly goal: NodeState;
  /** Failed states of other operations, which are ignored. */
  readonly passing?: readonly NodeState[];
  /** What is waited for, in words. */
  readonly waitingFor: string;
  /** Converts Ironic's own reason to the text that is shown. Answers of `ask` itself are shown unchanged. */
  readonly explain?: (reason: string, node: IronicNode) => string;
}

/**
 * Moves a node to a state: requests a move, waits until Ironic has stopped moving it, and repeats this until it
 * reaches the goal because of our request.
 */
export async function drive({
  order,
  ask,
  retry,
  goal,
  passing = [],
  waitingFor,
  explain = (reason) => reason,
}: Drive): Promise<HostOutcome> {
  const failing = FAILED_NODE_STATES.filter((state) => !passing.includes(state));
  for (let round = 1; ; round++) {
    const answer = await ask(retry && round === 1);
    if (answer.kind === 'failed') return { ...answer, message: shown(answer.message, answer.node, explain) };
    if (answer.kind !== 'started') return answer;
    const node = await waitForIronic(order, 'rest', waitingFor, failing);
    if (node === null) return { kind: 'lost' };
    if (node.state === goal && !answer.alreadyRunning)
      return { kind: 'done', node, ...(answer.adopts && { adopted: true }) };
    const isFailed = (node.state.endsWith('failed') || node.state === 'error') && !passing.includes(node.state);
    if (isFailed || round === ROUNDS) {
      const failed = await failure(node, order.host);
      return { ...failed, message: explain(failed.message, node) };
    }
  }
}

/** A reason from a failed node is explained; the reason why Ironic was not asked is shown as it is. */
const shown = (reason: string, node: IronicNode | undefined, explain: NonNullable<Drive['explain']>): string =>
  node?.state.endsWith('failed') && !/^(host validation error|Validation failed)/.test(reason)
    ? explain(reason, node)
    : reason;

/** Waits until the node is as `until` says; null when Ironic does not know it (any more). In states of `failing`, the wait is a failed row. */
export const waitForIronic = (
  { host, nodeId }: Drive['order'],
  until: WaitOrder['until'],
  summary: string,
  failing: WaitOrder['failing'] = [],
): Promise<IronicNode | null> => waiting(summary).waitForNode({ host, nodeId, until, failing });

/** A failure with Ironic's own reason: the node's last error, else the newest one in its history. */
export async function failure(node: IronicNode, host: HostRef): Promise<HostOutcome & { readonly kind: 'failed' }> {
  if (node.lastError !== null && node.lastError !== '') return { kind: 'failed', message: node.lastError, node };
  const { message } = await ironic('Ask Ironic for the reason of the failure').explainFailure({
    nodeId: node.id,
    host,
  });
  return { kind: 'failed', message, node };
}
