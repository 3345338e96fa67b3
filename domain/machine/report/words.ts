import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { MachineMemory } from '../memory/memory.ts';
import type { MachineAction } from '../memory/step.ts';

/** Describes an action for the Web UI. */
export function summaryOf(action: MachineAction): string {
  switch (action.name) {
    case 'associate':
      return action.order.host === undefined ? 'Choose a host' : `Claim host ${action.order.host.name} again`;
    case 'look at last host':
      return `Look whether host ${action.order.host.name} is still that of the machine`;
    case 'block move':
      return `Block clusterctl's move until host ${action.order.host.name} is paused`;
    case 'pause host':
      return `Pause host ${action.order.host.name} with its cluster`;
    case 'unpause host':
      return `Unpause host ${action.order.host.name}`;
    case 'request data':
      return `Request data from template ${action.order.template.name}`;
    case 'fill host':
      return `Write the desired image to host ${action.order.host.name}`;
    case 'find node':
      return action.knownProblem === undefined ? 'Look for the Node' : 'Wait for the Node';
    case 'sync labels':
      return `Copy labels to Node ${action.order.node}`;
    case 'let data go':
      return 'Release the data of the machine';
    case 'deprovision host':
      return `Deprovision host ${action.order.host.name}`;
    case 'release host':
      return `Release host ${action.order.host.name}`;
  }
}

/** A paragraph for the Web UI: the machine, its host, and what it waits for. */
export function detailsOf({ seen, record }: MachineMemory, waitingFor: string): Markdown {
  const { namespace, name } = seen;
  const where = record.host === '' ? markdown`has no host yet` : markdown`is on host **${record.host}**`;
  const running = `runs on host ${record.host} `;
  const what = waitingFor.startsWith(running)
    ? [markdown`runs on host **${record.host}** ${waitingFor.slice(running.length)}`]
    : [where, ...(waitingFor === '' ? [] : [markdown`: ${waitingFor}`])];
  return joined([
    joined([markdown`**${namespace}/${name}** `, ...what], ''),
    ...(record.providerID === '' ? [] : [markdown`\n${record.providerID}`]),
  ]);
}
