import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { type HostMemory, withoutFailures } from '../memory/memory.ts';
import { withSpent } from '../memory/reboot-annotations.ts';
import type { HostStep } from '../step.ts';

/** Ends a backoff and a park, also after an image was given up. The annotations of abort and retry are then handled. */
export function retryNow(memory: HostMemory): HostStep | undefined {
  const { retry, abort } = STEERING_ANNOTATIONS;
  const { seen, consumedAnnotations, status } = memory;
  if (!(retry in seen.annotations) || consumedAnnotations.includes(retry)) return undefined;
  const limit = seen.settings.maxProvisioningRetries;
  const hasGivenUp = limit > 0 && status.provisioningFailCount >= limit;
  const spent: HostMemory = { ...withSpent(withSpent(memory, retry), abort), retry: null };
  return { kind: 'note', memory: hasGivenUp ? withoutFailures(spent) : spent };
}
