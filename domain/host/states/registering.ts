import { inspectionMode } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { enter } from '../outcome/transition.ts';
import type { Step } from '../step.ts';

/** Reached only once the node is registered (a guard sees to that): what comes next depends on what the host is to be. */
export function registering(memory: HostMemory, now: number): Step {
  const fresh = { errorCount: 0 };
  if (memory.seen.spec.externallyProvisioned) return enter(memory, 'externally provisioned', now, fresh);
  if (inspectionMode(memory) === 'disabled') return enter(memory, 'preparing', now, fresh);
  return enter(memory, 'inspecting', now, fresh);
}
