import { parseBmcAddress } from '../../bmc/address.ts';
import { ageOf } from '../../clock.ts';
import { SLOTS_IN_IRONIC } from '../../lock/policy.ts';
import { noRoomInWords } from '../../lock/words.ts';
import { traitsOf } from '../../states/table.ts';
import { hostRef } from '../desired/wishes.ts';
import { type HostMemory, type Place, withStatus } from '../memory/memory.ts';
import type { Operation } from '../memory/task.ts';
import type { HostStep } from '../step.ts';

/** A waiting host repeats its request after this time, because the run of the slots may have lost it. */
const ASK_AGAIN_MS = 10 * 60_000;
/** How long a host shows nothing new after its request: on a busy machine, answers take seconds. */
const QUIET_MS = 10_000;

const LIMITED_OPERATIONS: readonly Operation['name'][] = ['inspect', 'provision', 'deprovision'];

/**
 * Replaces a step by a request for a slot where one is needed: before and during inspection, provisioning and
 * deprovisioning. The slot is returned when the host is parked or changes to another state.
 */
export function withSlot(memory: HostMemory, step: HostStep, now: number): HostStep {
  const unwanted = memory.slotsToReturn ?? [];
  if (unwanted.length > 0) return returning(memory, unwanted);
  const limit = memory.seen.settings.provisioningLimit;
  if (limit === undefined || !needsSlot(memory, step)) return withoutSlot(memory, step);
  return onceGranted(memory, step, limit, now);
}

function onceGranted(memory: HostMemory, step: HostStep, limit: number, now: number): HostStep {
  const { slot, status } = memory;
  const isDelayed = status.operationalStatus === 'delayed';
  if (slot?.state === 'granted') return isDelayed ? { kind: 'note', memory: undelayed(memory) } : step;
  if (slot === undefined || slotLimit(slot) !== limit || ageOf(slot.requestedAt, now) >= ASK_AGAIN_MS) {
    const order = {
      lock: 'slots' as const,
      host: hostRef(memory),
      ticket: slot?.ticket ?? '',
      code: '',
      needs: [{ budget: SLOTS_IN_IRONIC, limit }],
      underway: false,
      nodeId: status.provisioning.ID,
      requestedAt: now,
    };
    return { kind: 'act', action: { name: 'ask for place', order } };
  }
  const until = slot.requestedAt + ASK_AGAIN_MS;
  if (slot.state === 'requested') {
    const reason = 'asking whether Ironic has a free slot';
    const soon = slot.requestedAt + QUIET_MS;
    // Most answers come at once: until then nothing is shown, because it would soon be outdated.
    return now < soon ? { kind: 'wait', reason, until: soon, quiet: true } : { kind: 'wait', reason, until };
  }
  if (!isDelayed) {
    const delayed = withStatus(memory, { operationalStatus: 'delayed' });
    return { kind: 'note', memory: { ...delayed, delayedSince: slot.requestedAt } };
  }
  const { waitsFor, waiting = 0 } = slot;
  const turn = waitsFor === undefined ? noRoomInWords(waiting) : `position ${waitsFor.ahead + 1} in the queue`;
  return { kind: 'wait', reason: `waiting for one of ${limit} slots in Ironic, ${turn}`, until };
}

/** The number of slots that a request names. */
export const slotLimit = ({ needs }: Pick<Place, 'needs'>): number | undefined => needs[0]?.limit;

function withoutSlot(memory: HostMemory, step: HostStep): HostStep {
  // A short step on the way to the operation that needs the slot.
  if (step.kind === 'act' || step.kind === 'note') return step;
  if (memory.slot !== undefined) return returning(memory, [memory.slot.ticket]);
  if (memory.status.operationalStatus === 'delayed') return { kind: 'note', memory: undelayed(memory) };
  return step;
}

const returning = (memory: HostMemory, tickets: readonly string[]): HostStep => ({
  kind: 'act',
  action: { name: 'return place', order: { lock: 'slots', host: hostRef(memory), tickets } },
});

const undelayed = (memory: HostMemory): HostMemory =>
  withStatus(memory, { operationalStatus: memory.status.errorType === undefined ? 'OK' : 'error' });

function needsSlot(memory: HostMemory, step: HostStep): boolean {
  if (step.kind === 'become') return traitsOf(step.state).operation.needsSlot && isLimited(memory);
  return step.kind === 'run' && LIMITED_OPERATIONS.includes(step.operation.name) && isLimited(memory);
}

/** A host whose BMC boots the deploy agent from an ISO does not load the network, so it needs no slot. */
function isLimited({ seen }: HostMemory): boolean {
  const address = seen.spec.bmc?.address ?? '';
  const parsed = parseBmcAddress(address, { fakeHardware: true });
  return address !== '' && parsed.kind === 'ok' && !parsed.address.kind.bootsIso;
}
