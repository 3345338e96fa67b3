import type { MachineMemory } from './memory.ts';
import type { MachineAction } from './step.ts';

/** What an action is, in words for the people who read the run. */
export function summaryOf(action: MachineAction): string {
  switch (action.name) {
    case 'associate':
      return action.order.host === undefined ? 'Choose a host' : `Claim host ${action.order.host.name} again`;
    case 'block move':
      return `Have clusterctl wait for host ${action.order.host.name}`;
    case 'pause host':
      return `Pause host ${action.order.host.name} with its cluster`;
    case 'unpause host':
      return `End the pause of host ${action.order.host.name}`;
    case 'request data':
      return `Ask for data from template ${action.order.template.name}`;
    case 'fill host':
      return `Tell host ${action.order.host.name} what to run`;
    case 'find node':
      return action.told === undefined ? 'Look for the Node' : 'Wait for the Node';
    case 'sync labels':
      return `Copy labels to Node ${action.order.node}`;
    case 'let data go':
      return 'Let the data of the machine go';
    case 'deprovision host':
      return `Have host ${action.order.host.name} deprovisioned`;
    case 'release host':
      return `Give host ${action.order.host.name} back`;
  }
}

/** A paragraph for the head of the run: which machine on which host, and what it waits for. */
export function detailsOf({ seen, record }: MachineMemory, waitingFor: string): string {
  const where = record.host === '' ? 'has no host yet' : `is on host **${record.host}**`;
  const lines = [
    `**${seen.namespace}/${seen.name}** ${where}${waitingFor === '' ? '' : `: ${waitingFor}`}`,
    ...(record.providerID === '' ? [] : [`\n${record.providerID}`]),
  ];
  return lines.join('\n');
}
