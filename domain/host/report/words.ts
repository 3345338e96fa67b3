import { byName } from '../../entity/by-name.ts';
import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { PowerOrder } from '../../ironic/orders.ts';
import { needsInWords } from '../../lock/words.ts';
import { publicPart } from '../../urls/hidden.ts';
import type { HostMemory, Retry } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { failureWords } from './failure-words.ts';

/** Describes a task for the Web UI. */
export const summaryOf = byName<Task, string>({
  register: ({ order }) => (order.retry ? 'Register with Ironic again' : 'Register with Ironic'),
  image: () => 'Request a PreprovisioningImage',
  adopt: () => 'Adopt the node with its deployed image',
  examine: () => 'Find out what runs on the server',
  power: ({ order }) => powerWords(order),
  'ask for place': ({ order: { lock, needs } }) =>
    lock === 'slots' ? 'Request a slot in Ironic' : `Request a place: ${needsInWords(needs)}`,
  'return place': ({ order }) =>
    order.lock === 'slots' ? 'Return the slot in Ironic' : 'Return the place in a budget',
  media: ({ order: { desired } }) => {
    if (desired === null) return 'Read the virtual drive';
    return desired === '' ? 'Eject the DataImage' : 'Insert the DataImage';
  },
  abort: () => 'Abort what Ironic does',
  discard: () => 'Delete the node from Ironic, if it answers',
  release: () => 'Release Secrets, HardwareData and PreprovisioningImage',
  inspect: () => 'Inspect the hardware',
  prepare: () => 'Prepare the host',
  provision: ({ order }) => `Provision ${publicPart(order.image?.url ?? '')}`,
  deprovision: () => 'Deprovision',
  delete: () => 'Delete the node from Ironic',
  detach: () => 'Delete the node from Ironic, leave the server as it is',
});

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
