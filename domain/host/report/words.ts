import type { PowerOrder } from '../../ironic/orders.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Task } from '../step.ts';

/** What a task is, in words for the people who read the run. */
export function summaryOf(task: Task): string {
  switch (task.name) {
    case 'hold':
      return 'Put the finalizer on the BareMetalHost';
    case 'register':
      return task.order.retry ? 'Register with Ironic again' : 'Register with Ironic';
    case 'image':
      return 'Ask for a PreprovisioningImage';
    case 'adopt':
      return 'Adopt the node with what runs on it';
    case 'power':
      return powerWords(task.order);
    case 'ask for slot':
      return 'Ask for a slot in Ironic';
    case 'return slot':
      return 'Give the slot in Ironic back';
    case 'media':
      if (task.order.wanted === null) return 'Look into the virtual drive';
      return task.order.wanted === '' ? 'Take the DataImage out' : 'Put the DataImage in';
    case 'release':
      return 'Release Secrets, HardwareData and PreprovisioningImage';
    case 'inspect':
      return 'Inspect the hardware';
    case 'prepare':
      return 'Prepare the machine';
    case 'provision':
      return `Provision ${task.order.image?.url ?? ''}`;
    case 'deprovision':
      return 'Deprovision';
    case 'delete':
      return 'Delete the node from Ironic';
    case 'detach':
      return 'Take the node out of Ironic, the machine stays as it is';
  }
}

function powerWords({ on, mode, rebootFor }: PowerOrder): string {
  if (rebootFor !== undefined) return `Reboot (${mode})`;
  return on ? 'Power on' : `Power off (${mode})`;
}

/** A paragraph for the head of the run: state, what it waits for, what went wrong. */
export function detailsOf({ status, seen, waitingFor, retry }: HostMemory): string {
  const { state } = status.provisioning;
  const lines = [
    `**${seen.namespace}/${seen.name}** is **${state === '' ? 'new' : state}**${waitingFor === '' ? '' : `, ${waitingFor}`}`,
    ...(status.errorType === undefined
      ? []
      : [`\n${status.errorType} (failure ${status.errorCount}): ${status.errorMessage}`]),
    ...(retry?.kind === 'at' ? [`\nTries again at ${new Date(retry.at).toISOString()}`] : []),
  ];
  return lines.join('\n');
}
