import { desiredBmc } from '../../ironic/node-settings.ts';
import type { ProvisionOrder, RegisterOrder } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import { isSealed } from '../../urls/hidden.ts';
import { detachmentAsked } from '../memory/detach-annotation.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { isForcedAnew } from '../memory/reboot-annotations.ts';
import type { Task } from '../memory/task.ts';
import { inspectionMode, isPaused, provisioningCancelled, wantedImage, wantedMethod } from './wishes.ts';

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
export const stillWanted = (memory: HostMemory, task: Task): boolean => undesiredReason(memory, task) === undefined;

/** Why the host no longer asks for the running task, in words; undefined: it still does. */
export function undesiredReason(memory: HostMemory, task: Task): string | undefined {
  const detachment = detachmentAsked(memory.seen);
  const isToLeave = detachment !== undefined && (detachment.force || isDeleting(memory));
  if (isToLeave && BROKEN_OFF.includes(task.name)) return 'host detached';
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
      return undefined;
    case 'detach':
      return detachment === undefined ? 'host no longer detached' : undefined;
    case 'register':
      // A changed Secret does not cancel the task, because adding our label changes it too. A missed change is noticed
      // at the end. Nor does another setting: it is sent afterwards.
      if (task.order.deleting !== isDeleting(memory)) return isDeleting(memory) ? DELETED : 'host no longer deleted';
      if (!same(task.order.bmc, desiredBmc(memory.seen.spec))) return 'spec.bmc changed';
      return isStillBuilt(memory, task.order) ? undefined : 'PreprovisioningImage changed';
    case 'adopt':
    case 'prepare':
      // A change during preparation is prepared afterwards: cleaning is not aborted halfway.
      return isDeleting(memory) ? DELETED : undefined;
    case 'inspect':
      if (isDeleting(memory)) return DELETED;
      if (inspectionMode(memory) === 'disabled') return 'inspection disabled';
      return isForcedAnew(memory, task.order.forcedBy) ? FORCED : undefined;
    case 'provision':
      if (isDeleting(memory)) return DELETED;
      return isPaused(memory) ? undefined : replacedBy(memory, task.order);
  }
}

const DELETED = 'host deleted';
const FORCED = 'reboot forced';

/** The activity cannot open the sealed URL of an image that was replaced, so it would be repeated without an end. */
function isStillBuilt({ seen }: HostMemory, { agentImage }: RegisterOrder): boolean {
  const { url = '', kernelUrl = '' } = agentImage?.image ?? {};
  const { status } = seen.image ?? {};
  return (!isSealed(url) || url === status?.imageUrl) && (!isSealed(kernelUrl) || kernelUrl === status?.kernelUrl);
}

/**
 * What ends a deployment: another image or deploy step, or a forced reboot. Other data cancels nothing: a deployment
 * that Ironic has accepted keeps its data, and any earlier request is repeated with the data that the BareMetalHost
 * names by then.
 */
function replacedBy(memory: HostMemory, order: ProvisionOrder): string | undefined {
  const running = { url: order.image?.url ?? '', method: order.customDeployMethod };
  if (!provisioningCancelled(memory, running)) return isForcedAnew(memory, order.forcedBy) ? FORCED : undefined;
  if (wantedMethod(memory) !== running.method) return 'spec.customDeploy changed';
  return wantedImage(memory) === undefined ? 'spec.image removed' : 'spec.image changed';
}
