import { nodeRef } from './guards.ts';
import { type HostMemory, withStatus } from './memory.ts';
import type { Step } from './step.ts';
import { errorCleared } from './transition.ts';

/** Brings the power of a host at rest to what `spec.online` asks for, then waits for a change. */
export function managePower(memory: HostMemory, atRest: string): Step {
  const { node, status, seen } = memory;
  const wanted = seen.spec.online;
  if (
    node !== null &&
    node.poweredOn !== null &&
    node.poweredOn !== wanted &&
    !(seen.spec.disablePowerOff && !wanted)
  ) {
    const retry = status.errorType === 'power management error';
    return {
      kind: 'act',
      action: {
        name: 'power',
        order: { ...nodeRef(memory), on: wanted, mode: status.errorCount > 0 ? 'hard' : 'soft', force: retry },
      },
    };
  }
  const settled = errorCleared(memory);
  const counted = settled.status.errorCount === 0 ? settled : withStatus(settled, { errorCount: 0 });
  return counted === memory ? { kind: 'wait', reason: atRest } : { kind: 'note', memory: counted };
}
