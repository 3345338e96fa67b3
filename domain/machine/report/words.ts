import { byName } from '../../entity/by-name.ts';
import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { MachineMemory } from '../memory/memory.ts';
import type { MachineAction } from '../memory/step.ts';

/** Describes an action for the Web UI. */
export const summaryOf = byName<MachineAction, string>({
  associate: ({ order }) => (order.host === undefined ? 'Choose a host' : `Claim host ${order.host.name} again`),
  'look at last host': ({ order }) => `Look whether host ${order.host.name} is still that of the machine`,
  'block move': ({ order }) => `Block clusterctl's move until host ${order.host.name} is paused`,
  'pause host': ({ order }) => `Pause host ${order.host.name} with its cluster`,
  'unpause host': ({ order }) => `Unpause host ${order.host.name}`,
  'request data': ({ order }) => `Request data from template ${order.template.name}`,
  'fill host': ({ order }) => `Write the desired image to host ${order.host.name}`,
  'find node': ({ knownProblem }) => (knownProblem === undefined ? 'Look for the Node' : 'Wait for the Node'),
  'sync labels': ({ order }) => `Copy labels to Node ${order.node}`,
  'let data go': () => 'Release the data of the machine',
  'deprovision host': ({ order }) => `Deprovision host ${order.host.name}`,
  'release host': ({ order }) => `Release host ${order.host.name}`,
});

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
