import { saysOccupied } from '../../ironic/occupied.ts';
import { attemptOf } from '../desired/attempt.ts';
import { deploymentData, nodeOrder, provisioningCancelled, wantedImage } from '../desired/wishes.ts';
import { type HostMemory, withoutFailures } from '../memory/memory.ts';
import { forcedBy } from '../memory/reboot-annotations.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import { hasWrongData } from '../outcome/wrong-secret.ts';
import type { HostStep } from '../step.ts';

export function provisioning(memory: HostMemory, now: number): HostStep {
  const { status, seen, finished } = memory;
  if (finished?.name === 'provision') {
    return enter(withoutFailures(errorCleared(memory)), 'provisioned', now, {
      errorCount: 0,
      provisioning: {
        ...status.provisioning,
        ...(finished.image !== undefined && { image: finished.image }),
        ...(finished.customDeploy !== undefined && { customDeploy: finished.customDeploy }),
      },
    });
  }
  if (hasWrongData(memory)) {
    const { wrongSecret: _, ...another } = errorCleared(memory);
    return { kind: 'note', memory: another };
  }
  if (status.errorType !== undefined && saysOccupied(status.errorMessage)) {
    const { memory: back, ...step } = enter(memory, 'available', now);
    return { ...step, memory: { ...back, retry: { kind: 'on change' } } };
  }
  if (status.errorType !== undefined) {
    const told = { ...memory, deploymentFailure: status.errorMessage };
    return enter(errorCleared(told), 'deprovisioning', now, {
      provisioningFailCount: status.provisioningFailCount + 1,
    });
  }
  const image = wantedImage(memory);
  // Without memory, the status only has the image, and possibly an old one when none is deployed.
  const running = memory.attempted ?? { url: (image && status.lastAttemptedImage?.url) ?? '' };
  if (provisioningCancelled(memory, running)) {
    return enter(memory, 'deprovisioning', now);
  }
  const { rootDeviceHints } = status.provisioning;
  const attempt = attemptOf(memory);
  return {
    kind: 'run',
    operation: {
      name: 'provision',
      order: {
        ...nodeOrder(memory),
        ...(image !== undefined && { image }),
        retry: status.provisioningFailCount > 0,
        forcedBy: forcedBy(memory),
        ...(rootDeviceHints !== undefined && { rootDeviceHints }),
        ...deploymentData(seen.spec),
        ...(attempt !== undefined && { attempt }),
      },
    },
  };
}
