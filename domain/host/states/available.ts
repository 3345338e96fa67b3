import { isOccupied, saysOccupied } from '../../ironic/occupied.ts';
import { same } from '../../same.ts';
import { cleared, isPrepared } from '../desired/preparation.ts';
import { deploymentAsked, reinspectionAsked, wantedImage } from '../desired/wishes.ts';
import { nodeRef } from '../guards.ts';
import { lookedFor } from '../media/media.ts';
import { type HostMemory, withoutFailures } from '../memory/memory.ts';
import { park } from '../outcome/failure.ts';
import { givenUp } from '../outcome/given-up.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import { managePower } from '../power/power.ts';
import type { HostStep } from '../step.ts';

export function available(memory: HostMemory, now: number): HostStep {
  const { spec } = memory.seen;
  if (spec.externallyProvisioned) {
    const known = saysOccupied(memory.status.errorMessage) ? errorCleared(memory) : memory;
    return enter(known, 'externally provisioned', now, { provisioning: cleared(memory.status.provisioning) });
  }
  const occupied = ofOccupied(memory, now);
  if (occupied !== undefined) return occupied;
  if (reinspectionAsked(memory)) return enter({ ...memory, refreshInspection: true }, 'inspecting', now);
  if (!isPrepared(memory)) return enter(memory, 'preparing', now);
  const image = wantedImage(memory);
  const attempted = retriesAreCounted(memory);
  if (attempted !== memory) return { kind: 'note', memory: attempted };
  if (spec.online && deploymentAsked(memory)) {
    const failures = memory.status.provisioningFailCount;
    const limit = memory.seen.settings.maxProvisioningRetries;
    if (limit > 0 && failures >= limit) {
      const message = givenUp(failures, limit, memory.deploymentFailure);
      return { kind: 'note', memory: givenUpAs(message, memory, now) };
    }
    return enter(errorCleared(memory), 'provisioning', now, image && { lastAttemptedImage: image });
  }
  return lookedFor(memory, managePower(memory, restOfAvailable(memory), 'available'));
}

/** A host that shows this already keeps what it shows: a run that began anew does not know the last failure. */
function givenUpAs(message: string, memory: HostMemory, now: number): HostMemory {
  const { errorType, errorMessage } = memory.status;
  const isShown = errorType === 'provisioning error' && errorMessage.startsWith(message);
  return isShown
    ? { ...memory, retry: { kind: 'on change' }, finished: null }
    : park(memory, 'provisioning error', message, now);
}

/**
 * Something runs on the server, or is being deployed, although the host is free. What we began to deploy is undeployed;
 * anything else parks the host.
 */
function ofOccupied(memory: HostMemory, now: number): HostStep | undefined {
  const { node, finished } = memory;
  const isExamined = finished?.name === 'examine';
  // A deployment decides by itself what to do with such a node.
  if (deploymentAsked(memory)) return isExamined ? { kind: 'note', memory: { ...memory, finished: null } } : undefined;
  if (node === null || !isOccupied(node)) return undefined;
  if (isExamined) return enter(errorCleared(memory), 'deprovisioning', now);
  return { kind: 'act', action: { name: 'examine', order: nodeRef(memory) } };
}

/** What an available host waits for. */
export const restOfAvailable = (memory: HostMemory): string =>
  deploymentAsked(memory) ? 'waiting for spec.online' : 'waiting for an image in spec.image';

/** The count of failed deployments is for one image: a change of the image resets it. */
function retriesAreCounted(memory: HostMemory): HostMemory {
  const image = wantedImage(memory);
  const { lastAttemptedImage, ...status } = memory.status;
  if (status.provisioningFailCount === 0) return memory;
  if (image !== undefined) {
    return same(image, lastAttemptedImage) ? memory : withoutFailures(memory);
  }
  return withoutFailures({ ...memory, status });
}
