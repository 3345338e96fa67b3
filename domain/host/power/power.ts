import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { PowerOrder } from '../../ironic/orders.ts';
import { nodeRef } from '../guards.ts';
import { type HostMemory, withStatus } from '../memory/memory.ts';
import { type RebootRequest, rebootRequests, withRebootSpent } from '../memory/reboot-annotations.ts';
import { errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

/**
 * Brings the power of a parked host to `spec.online` and the reboot annotations, then waits for a change. Without an
 * image, only forced reboots are done.
 */
export function managePower(memory: HostMemory, atRest: string, use: 'in use' | 'available' = 'in use'): HostStep {
  const { node, seen, status } = memory;
  const poweredOn = node?.poweredOn ?? null;
  if (poweredOn === null) return rest(memory, `${atRest}; its power is unknown`);
  const requests = rebootRequests(memory);
  if (!poweredOn && requests.some(({ key }) => key === ANNOTATIONS.reboot)) {
    return { kind: 'note', memory: withRebootSpent(memory) };
  }
  const heeded = requests.filter(({ force }) => use === 'in use' || force);
  const wanted = seen.spec.online && heeded.length === 0;
  if (poweredOn === wanted) {
    if (heeded.length > 0) return rest(memory, keptOff(heeded));
    return rest(memory, wanted ? atRest : `off, as spec.online says; ${atRest}`);
  }
  const force = status.errorType === 'power management error';
  if (wanted) {
    // The power state "off" is shown before the host is powered on: the client that requested the reboot may wait for
    // it.
    if (memory.shownPower !== status.poweredOn) return { kind: 'show' };
    return power(memory, { on: true, mode: 'soft', force });
  }
  const mode = status.errorCount > 0 || heeded.some((request) => request.mode === 'hard') ? 'hard' : 'soft';
  if (seen.spec.disablePowerOff !== true) return power(memory, { on: false, mode, force });
  if (!seen.spec.online) return rest(memory, `${atRest}; spec.disablePowerOff keeps it on`);
  const askedBy = heeded.map(({ key }) => key).filter((key) => !memory.rebootedFor.includes(key));
  if (askedBy.length === 0) return rest(memory, `${atRest}; spec.disablePowerOff keeps it on`);
  return power(memory, { on: true, mode, force, rebootFor: askedBy });
}

/** The action that changes the power of the host's node. */
export const power = (
  memory: HostMemory,
  order: Pick<PowerOrder, 'on' | 'mode' | 'force' | 'rebootFor'>,
): HostStep => ({
  kind: 'act',
  action: {
    name: 'power',
    order: {
      ...nodeRef(memory),
      ...order,
      ...(memory.seen.spec.automatedCleaningMode === 'disabled' && { cleaningDisabled: true }),
    },
  },
});

const keptOff = (heeded: readonly RebootRequest[]): string =>
  `kept off until these annotations are removed: ${heeded.map(({ key }) => key).join(', ')}`;

/** Nothing to do: errors and the failure count are cleared. */
function rest(memory: HostMemory, reason: string): HostStep {
  const settled = errorCleared(memory);
  const counted = settled.status.errorCount === 0 ? settled : withStatus(settled, { errorCount: 0 });
  return counted === memory ? { kind: 'wait', reason } : { kind: 'note', memory: counted };
}

/** The reboot of a host that is never powered off has ended, successfully or not: its annotations are handled. */
export function withRebootDone(memory: HostMemory, { rebootFor = [] }: PowerOrder): HostMemory {
  if (rebootFor.length === 0) return memory;
  const rebootedFor = [...new Set([...memory.rebootedFor, ...rebootFor])].filter(
    (key) => key in memory.seen.annotations,
  );
  return rebootFor.includes(ANNOTATIONS.reboot)
    ? { ...withRebootSpent(memory), rebootedFor: rebootedFor.filter((key) => key !== ANNOTATIONS.reboot) }
    : { ...memory, rebootedFor };
}
