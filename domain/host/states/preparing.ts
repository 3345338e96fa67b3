import { park } from '../failure.ts';
import type { HostMemory } from '../memory.ts';
import type { Step } from '../step.ts';
import { enter, errorCleared } from '../transition.ts';
import { asksForRaid, wantedRootDeviceHints } from '../wishes.ts';

/** Puts into effect what must hold before anything is deployed. Root device hints need no work on the machine itself. */
export function preparing(memory: HostMemory, now: number): Step {
  if (asksForRaid(memory)) {
    // Rather a host that waits and says why than one on disks that nobody asked for.
    const message = 'spec.raid asks for volumes, which are not configured yet; remove them to go on';
    return { kind: 'note', memory: park(memory, 'preparation error', message) };
  }
  const { rootDeviceHints: _, ...provisioning } = memory.status.provisioning;
  const hints = wantedRootDeviceHints(memory);
  return enter(errorCleared(memory), 'available', now, {
    errorCount: 0,
    provisioning: { ...provisioning, ...(hints !== undefined && { rootDeviceHints: hints }) },
  });
}
