import { inspectionMode, nodeOrder, reinspectionAsked } from '../desired/wishes.ts';
import { type HostMemory, withEvent } from '../memory/memory.ts';
import { forcedBy } from '../memory/reboot-annotations.ts';
import { enter } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

export function inspecting(memory: HostMemory, now: number): HostStep {
  if (memory.finished?.name === 'inspect') return enter(memory, 'preparing', now, { errorCount: 0 });
  if (inspectionMode(memory) === 'disabled') {
    return enter(withEvent(memory, 'InspectionSkipped', 'disabled by user'), 'preparing', now, { errorCount: 0 });
  }
  const refresh = memory.refreshInspection || reinspectionAsked(memory);
  const retry = memory.status.errorType === 'inspection error';
  return {
    kind: 'run',
    operation: { name: 'inspect', order: { ...nodeOrder(memory), refresh, retry, forcedBy: forcedBy(memory) } },
  };
}
