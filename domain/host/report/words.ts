import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { PowerOrder } from '../../ironic/orders.ts';
import { needsInWords } from '../../lock/words.ts';
import { publicPart } from '../../urls/hidden.ts';
import type { HostMemory, Retry } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { failureWords } from './failure-words.ts';

/** Describes a task for the Web UI. */
export function summaryOf(task: Task): string {
  switch (task.name) {
    case 'register':
      return task.order.retry ? 'Register with Ironic again' : 'Register with Ironic';
    case 'image':
      return 'Request a PreprovisioningImage';
    case 'adopt':
      return 'Adopt the node with its deployed image';
    case 'examine':
      return 'Find out what runs on the server';
    case 'power':
      return powerWords(task.order);
    case 'ask for place':
      return task.order.lock === 'slots'
        ? 'Request a slot in Ironic'
        : `Request a place: ${needsInWords(task.order.needs)}`;
    case 'return place':
      return task.order.lock === 'slots' ? 'Return the slot in Ironic' : 'Return the place in a budget';
    case 'media':
      if (task.order.desired === null) return 'Read the virtual drive';
      return task.order.desired === '' ? 'Eject the DataImage' : 'Insert the DataImage';
    case 'abort':
      return 'Abort what Ironic does';
    case 'discard':
      return 'Delete the node from Ironic, if it answers';
    case 'release':
      return 'Release Secrets, HardwareData and PreprovisioningImage';
    case 'inspect':
      return 'Inspect the hardware';
    case 'prepare':
      return 'Prepare the host';
    case 'provision':
      return `Provision ${publicPart(task.order.image?.url ?? '')}`;
    case 'deprovision':
      return 'Deprovision';
    case 'delete':
      return 'Delete the node from Ironic';
    case 'detach':
      return 'Delete the node from Ironic, leave the server as it is';
  }
}

function powerWords({ on, mode, rebootFor }: PowerOrder): string {
  if (rebootFor !== undefined) return `Reboot (${mode})`;
  return on ? 'Power on' : `Power off (${mode})`;
}

const AFTER_ERROR: Readonly<Record<Retry['kind'], string>> = {
  at: 'waiting to try again',
  'on change': 'waiting for a change',
};

/** A paragraph for the Web UI: state, reason of the wait, last error. */
export function detailsOf({ status, seen, retry }: HostMemory, waitingFor: string): Markdown {
  const { state } = status.provisioning;
  // The reason of a wait after an error repeats the error.
  const reason = status.errorType === undefined || retry === null ? waitingFor : AFTER_ERROR[retry.kind];
  const { namespace, name } = seen;
  return joined([
    markdown`**${namespace}/${name}** is **${state === '' ? 'new' : state}**${afterState(state, reason)}`,
    ...(status.errorType === undefined ? [] : [markdown`\n${failureWords({ status, seen })}: ${status.errorMessage}`]),
  ]);
}

/** The state is not repeated when the reason begins with it. */
function afterState(state: string, reason: string): string {
  if (reason === '') return '';
  if (reason.startsWith(`${state}, `)) return reason.slice(state.length);
  return `, ${reason.startsWith(`${state} as `) ? reason.slice(state.length + 1) : reason}`;
}
