import { sleep } from '@temporalio/workflow';
import type { HostOutcome } from '../../domain/host/step.ts';
import { isBusy } from '../../domain/ironic/node/node.ts';
import type { DeleteOrder, HostRef } from '../../domain/ironic/orders.ts';
import { discarding, ironicFirst } from '../proxies.ts';

/** The first pause between two attempts; the next ones double, up to the last. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Has Ironic abort its operation on the node. Ironic can abort only while it waits for the deploy agent, so the request
 * is repeated until then, or until the operation has ended.
 */
export async function abort(
  order: { readonly host: HostRef; readonly nodeId: string },
  summary: string,
): Promise<HostOutcome> {
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const answer = await ironicFirst(summary).abortNode(order);
    if (!('node' in answer) || answer.node === undefined || !isBusy(answer.node.state)) {
      return answer.kind === 'started' ? { kind: 'done', node: answer.node } : answer;
    }
    await sleep(pauseMs, {
      summary: `Ironic has the node in state ${answer.node.state}: wait until it can be aborted`,
    });
  }
}

/** Attempts to delete a node that Ironic is busy with, and the pause between them. */
const ATTEMPTS = 3;
const PAUSE = '3 seconds';

/**
 * Deletes the node if Ironic does so at once. Otherwise the outcome has the reason; the host is deleted in both cases.
 */
export async function discard(order: DeleteOrder, summary: string): Promise<HostOutcome> {
  for (let attempt = 1; ; attempt++) {
    const answer = await discarding(summary).deleteNode(order);
    if (answer.kind !== 'started') return answer;
    if (attempt === ATTEMPTS) return { kind: 'failed', message: `Ironic has it in state '${answer.node.state}'` };
    await sleep(PAUSE, { summary: `Ironic has the node in state ${answer.node.state}: wait` });
  }
}
