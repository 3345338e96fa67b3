import { joined, linkTo, markdown } from '../../domain/entity/markdown.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import { runPath } from '../life/run-path.ts';
import { showDetails } from '../life/show-details.ts';
import { hostWorkflowId } from '../messages.ts';

/** Shows in the details of an operation's run what it does, and where its progress is to be seen. */
export function showDoing({ host, nodeId }: { readonly host: HostRef; readonly nodeId: string }, what: string): void {
  const { namespace, name } = host;
  showDetails(
    joined([
      markdown`- **Now** ${what}`,
      joined([markdown`- **For** `, linkTo(`${namespace}/${name}`, runPath(hostWorkflowId(host)))], ''),
      markdown`- **State and step in Ironic** the heartbeat of waitForNode, under Pending Activities, or ${`npx temper explain host ${name} -n ${namespace}`}`,
      markdown`- **Node in Ironic** ${nodeId}`,
    ]),
  );
}
