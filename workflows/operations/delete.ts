import { sleep } from '@temporalio/workflow';
import type { HostOutcome } from '../../domain/host/step.ts';
import type { NodeState } from '../../domain/ironic/node/node.ts';
import type { DeleteOrder } from '../../domain/ironic/orders.ts';
import { ended } from '../life/failed-run.ts';
import { ironicFirst } from '../proxies.ts';
import { waitForIronic } from './drive.ts';
import { showDoing } from './show-doing.ts';

/** Rounds after which a node that Ironic neither deletes nor moves is shown as a failure. */
const ROUNDS = 10;
/** Pause between two attempts for a node that does not move. */
const PAUSE = '10 seconds';

/** Deletes the node from Ironic, in any state. */
export async function deleteWorkflow(order: DeleteOrder): Promise<HostOutcome> {
  showDoing(order, 'Delete the node from Ironic');
  const passed: NodeState[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const answer = await ironicFirst('Delete the node from Ironic').deleteNode(order);
    // Ironic does not know the node any more: it is deleted.
    if (answer.kind === 'lost') return answer;
    if (answer.kind !== 'started') return ended(answer);
    const node = await waitForIronic(
      { ...order, nodeId: answer.node.id },
      'rest',
      'Wait until Ironic has ended its work on the node',
    );
    // A list without the node says little: the next request asks Ironic for the node itself.
    if (node === null) continue;
    if (passed.includes(node.state))
      await sleep(PAUSE, { summary: `Ironic has the node in state ${node.state} again: wait` });
    passed.push(node.state);
  }
  const states = passed.length === 0 ? 'no list has it' : `it was in ${passed.join(', ')}`;
  return ended({ kind: 'failed', message: `Ironic did not delete the node: ${states}` });
}
