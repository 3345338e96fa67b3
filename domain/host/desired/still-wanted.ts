import type { ProvisionOrder, RegisterOrder } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import { isSealed } from '../../urls/hidden.ts';
import { detachmentAsked } from '../memory/detach-annotation.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { isForcedAnew } from '../memory/reboot-annotations.ts';
import type { Task } from '../memory/task.ts';
import { inspectionMode, isPaused, provisioningCancelled, wantedBmc } from './wishes.ts';

/** Tasks that are cancelled for a host that is to be detached. */
const BROKEN_OFF: readonly Task['name'][] = [
  'register',
  'adopt',
  'power',
  'inspect',
  'prepare',
  'provision',
  'deprovision',
];

/** False: the running task is cancelled and the next step is decided again. Called after each change. */
export function stillWanted(memory: HostMemory, task: Task): boolean {
  const detachment = detachmentAsked(memory.seen);
  const isToLeave = detachment !== undefined && (detachment.force || isDeleting(memory));
  if (isToLeave && BROKEN_OFF.includes(task.name)) return false;
  switch (task.name) {
    case 'image':
    case 'media':
    case 'power':
    case 'examine':
    case 'deprovision':
    case 'delete':
    case 'release':
    case 'ask for place':
    case 'return place':
    case 'abort':
    case 'discard':
      return true;
    case 'detach':
      return detachment !== undefined;
    case 'register':
      // A changed Secret does not cancel the task, because adding our label changes it too. A missed change is noticed
      // at the end. Nor does another setting: it is sent afterwards.
      return (
        task.order.deleting === isDeleting(memory) &&
        same(task.order.bmc, wantedBmc(memory.seen.spec)) &&
        isStillBuilt(memory, task.order)
      );
    case 'adopt':
    case 'prepare':
      // A change during preparation is prepared afterwards: cleaning is not aborted halfway.
      return !isDeleting(memory);
    case 'inspect':
      return !isDeleting(memory) && inspectionMode(memory) !== 'disabled' && !isForcedAnew(memory, task.order.forcedBy);
    case 'provision':
      return !isDeleting(memory) && (isPaused(memory) || isStillAsked(memory, task.order));
  }
}

/** The activity cannot open the sealed URL of an image that was replaced, so it would be repeated without an end. */
function isStillBuilt({ seen }: HostMemory, { agentImage }: RegisterOrder): boolean {
  const { url = '', kernelUrl = '' } = agentImage?.image ?? {};
  const { status } = seen.image ?? {};
  return (!isSealed(url) || url === status?.imageUrl) && (!isSealed(kernelUrl) || kernelUrl === status?.kernelUrl);
}

/**
 * The same image and deploy step. Other data cancels nothing: a deployment that Ironic has accepted keeps its data, and
 * any earlier request is repeated with the data that the BareMetalHost names by then.
 */
function isStillAsked(memory: HostMemory, order: ProvisionOrder): boolean {
  const running = { url: order.image?.url ?? '', method: order.customDeployMethod };
  return !provisioningCancelled(memory, running) && !isForcedAnew(memory, order.forcedBy);
}
