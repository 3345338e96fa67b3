import type { Outcome } from '../../domain/host/step.ts';
import type { IronicNode, NodeState } from '../../domain/ironic/node/node.ts';
import type { HostRef, IronicAnswer, WaitOrder } from '../../domain/ironic/orders.ts';
import { ironic, waiting } from '../proxies.ts';

/** Rounds of asking and waiting after which a node that never arrives is given up on. */
const ROUNDS = 6;

interface Drive {
  readonly order: { readonly host: HostRef; readonly nodeId: string };
  /** Asks Ironic for the next move; `retry` is true only in the first round of a repetition. */
  readonly ask: (retry: boolean) => Promise<IronicAnswer>;
  readonly retry: boolean;
  /** Where the node is to come to rest. */
  readonly goal: NodeState;
  /** Failed states that are only passed on the way: what failed was another operation. */
  readonly passing?: readonly NodeState[];
  /** What is waited for, in words. */
  readonly waitingFor: string;
  /** Turns Ironic's own reason into the text that is shown. What `ask` itself answers is shown as it is. */
  readonly explain?: (reason: string, node: IronicNode) => string;
}

/** Moves a node to a state: asks, waits until Ironic has stopped moving it, and asks again while it is on the way. */
export async function drive({
  order,
  ask,
  retry,
  goal,
  passing = [],
  waitingFor,
  explain = (reason) => reason,
}: Drive): Promise<Outcome> {
  for (let round = 1; ; round++) {
    const answer = await ask(retry && round === 1);
    if (answer.kind === 'failed') return { ...answer, message: shown(answer.message, answer.node, explain) };
    if (answer.kind !== 'started') return answer;
    const node = await waitForNode(order, 'rest', waitingFor);
    if (node === null) return { kind: 'lost' };
    if (node.state === goal) return { kind: 'done', node };
    const isFailed = (node.state.endsWith('failed') || node.state === 'error') && !passing.includes(node.state);
    if (isFailed || round === ROUNDS) {
      const failed = await failure(node);
      return { ...failed, message: explain(failed.message, node) };
    }
  }
}

/** A reason that comes from a failed node is explained; one that says why Ironic was not even asked speaks for itself. */
const shown = (reason: string, node: IronicNode | undefined, explain: NonNullable<Drive['explain']>): string =>
  node?.state.endsWith('failed') && !/^(host validation error|Validation failed)/.test(reason)
    ? explain(reason, node)
    : reason;

/** Waits until Ironic has the node where `until` says; null when Ironic does not know it (any more). */
export const waitForNode = (
  { host, nodeId }: Drive['order'],
  until: WaitOrder['until'],
  summary: string,
): Promise<IronicNode | null> => waiting(summary).waitForNode({ host, nodeId, until });

/** A failure with Ironic's own reason: what the node says, else what its history tells. */
export async function failure(node: IronicNode): Promise<Outcome & { readonly kind: 'failed' }> {
  if (node.lastError !== null && node.lastError !== '') return { kind: 'failed', message: node.lastError, node };
  const { message } = await ironic('Ask Ironic for the reason of the failure').explainFailure({ nodeId: node.id });
  return { kind: 'failed', message, node };
}
