import { canRegister } from '../guards.ts';
import { type HostMemory, withEvent, withStatus } from '../memory/memory.ts';
import { enter } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

/** No BMC details yet: nothing can be managed. */
export function fromNone(memory: HostMemory, now: number): HostStep {
  if (canRegister(memory)) return enter(memory, 'registering', now);
  const discovered = withEvent(memory, 'Discovered', 'Discovered host with no BMC details');
  return enter(discovered, 'unmanaged', now, { operationalStatus: 'discovered' });
}

export function unmanaged(memory: HostMemory, now: number): HostStep {
  if (canRegister(memory)) return enter(memory, 'registering', now);
  if (memory.status.operationalStatus === 'discovered') {
    return { kind: 'wait', reason: 'waiting for BMC details in spec.bmc' };
  }
  return { kind: 'note', memory: withStatus(memory, { operationalStatus: 'discovered' }) };
}
