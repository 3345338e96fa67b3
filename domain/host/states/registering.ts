import { inspectionMode } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { enter } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

/** A guard has registered the node before: the next state depends on the spec. */
export function registering(memory: HostMemory, now: number): HostStep {
  const fresh = { errorCount: 0 };
  if (memory.seen.spec.externallyProvisioned) return enter(memory, 'externally provisioned', now, fresh);
  if (inspectionMode(memory) === 'disabled') return enter(memory, 'preparing', now, fresh);
  return enter(memory, 'inspecting', now, fresh);
}
