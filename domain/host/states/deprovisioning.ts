import { cleared } from '../desired/preparation.ts';
import { nodeOrder } from '../desired/wishes.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

export function deprovisioning(memory: HostMemory, now: number): HostStep {
  const { status, finished } = memory;
  if (finished?.keptImage || finished?.isKept)
    return enter(errorCleared(memory), 'provisioned', now, {
      errorCount: 0,
      provisioning: withImageThatStayed(memory),
    });
  if (finished?.name === 'deprovision') {
    const { customDeploy: _, ...provisioning } = cleared(status.provisioning);
    return enter(errorCleared(memory), isDeleting(memory) ? 'powering off before delete' : 'available', now, {
      errorCount: 0,
      provisioning: { ...provisioning, image: { url: '' } },
    });
  }
  if (isDeleting(memory) && memory.node === null) return enter(memory, 'deleting', now);
  return {
    kind: 'run',
    operation: {
      name: 'deprovision',
      order: {
        ...nodeOrder(memory),
        ...(isDeleting(memory) && { isLeaving: true }),
        ...(memory.deployedData !== undefined && { deployedData: memory.deployedData }),
        retry: status.errorType === 'provisioning error' || status.provisioningFailCount > 0,
      },
    },
  };
}

/**
 * The deployed image is the one that the host asked for when Ironic was to undeploy it, even if the status showed
 * another one, or the host asks for a third one by now.
 */
function withImageThatStayed({ status: { provisioning }, finished }: HostMemory): HostMemory['status']['provisioning'] {
  const image = finished?.image;
  return image === undefined || image.url === '' ? provisioning : { ...provisioning, image };
}
