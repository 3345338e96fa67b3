import { cleared } from '../desired/preparation.ts';
import { nodeOrder } from '../desired/wishes.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

export function deprovisioning(memory: HostMemory, now: number): HostStep {
  const { status, finished } = memory;
  if (finished?.keptImage)
    return enter(errorCleared(memory), 'provisioned', now, {
      errorCount: 0,
      provisioning: withWhatStayed(memory),
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
        retry: status.errorType === 'provisioning error' || status.provisioningFailCount > 0,
      },
    },
  };
}

/**
 * What is deployed is what the host asked for when Ironic was to undeploy it, even if the status showed something else,
 * or the host asks for a third thing by now. A host with an image may ask for a custom deploy step that was never run.
 */
function withWhatStayed({ status: { provisioning }, finished }: HostMemory): HostMemory['status']['provisioning'] {
  const { customDeploy: shown, ...others } = provisioning;
  const { image = { url: '' }, customDeploy } = finished ?? {};
  const isRun = customDeploy !== undefined && (shown !== undefined || image.url === '');
  return { ...others, image, ...(isRun && { customDeploy }) };
}
