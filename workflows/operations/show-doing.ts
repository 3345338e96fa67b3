import { setHandler, upsertMemo } from '@temporalio/workflow';
import { shortened } from '../../domain/entity/details.ts';
import { joined, linkTo, type Markdown, markdown } from '../../domain/entity/markdown.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import { runPath } from '../life/run-path.ts';
import { showDetails } from '../life/show-details.ts';
import { ENDED_MEMO, endedBecause, hostWorkflowId } from '../messages.ts';

interface Operated {
  readonly host: HostRef;
  readonly nodeId: string;
}

/** Most characters of a reason: people may write long ones. */
const LONGEST = 300;

/**
 * Shows in the details of an operation's run what it does, and where its progress is to be seen; of one that is
 * cancelled, why. The reason is in the memo too, because a cancelled run has no result, and lists of runs have memos.
 */
export function showDoing(order: Operated, what: string): void {
  show(order, markdown`- **Now** ${what}`);
  setHandler(
    endedBecause,
    (text: unknown) => {
      if (typeof text !== 'string') return;
      const reason = shortened(text, LONGEST);
      upsertMemo({ [ENDED_MEMO]: reason });
      show(order, markdown`- **Ended** ${reason}`);
    },
    { description: 'Why the operation is cancelled; sent by the run of its host' },
  );
}

function show({ host, nodeId }: Operated, first: Markdown): void {
  const { namespace, name } = host;
  showDetails(
    joined([
      first,
      joined([markdown`- **For** `, linkTo(`${namespace}/${name}`, runPath(hostWorkflowId(host)))], ''),
      markdown`- **State and step in Ironic** the heartbeat of waitForNode, under Pending Activities, or ${`npx temper explain host ${name} -n ${namespace}`}`,
      markdown`- **Node in Ironic** ${nodeId}`,
    ]),
  );
}
