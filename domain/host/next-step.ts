import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { gated } from './approval/gate.ts';
import { withPlace } from './approval/place.ts';
import { withSlot } from './capacity/slot-guard.ts';
import { GUARDS } from './guards.ts';
import type { HostMemory } from './memory/memory.ts';
import { enter } from './outcome/transition.ts';
import { available } from './states/available.ts';
import { deleting, poweringOffBeforeDelete } from './states/deleting.ts';
import { deprovisioning } from './states/deprovisioning.ts';
import { inspecting } from './states/inspecting.ts';
import { preparing } from './states/preparing.ts';
import { externallyProvisioned, provisioned } from './states/provisioned.ts';
import { provisioning } from './states/provisioning.ts';
import { registering } from './states/registering.ts';
import { fromNone, unmanaged } from './states/unmanaged.ts';
import { afterAbort, heldBack } from './steering/held-back.ts';
import type { HostStep } from './step.ts';

/** The rules of each provisioning state; used when no guard decides. */
const STATES: Readonly<Record<ProvisioningState, (memory: HostMemory, now: number) => HostStep>> = {
  '': fromNone,
  unmanaged,
  registering,
  inspecting,
  // Deprecated state, skipped.
  'match profile': (memory, now) => enter(memory, 'preparing', now, { errorCount: 0 }),
  preparing,
  available,
  ready: available,
  provisioning,
  provisioned,
  'externally provisioned': externallyProvisioned,
  deprovisioning,
  'powering off before delete': poweringOffBeforeDelete,
  deleting,
};

/** The next step of a host. Pure: the same memory and time always give the same step. `now` in ms since the epoch. */
export function nextStep(memory: HostMemory, now: number): HostStep {
  const step = afterAbort(memory, decided(memory, now));
  const held = heldBack(memory, step);
  const gatedStep = held === step ? gated(memory, step, now) : held;
  return withSlot(memory, withPlace(memory, gatedStep), now);
}

/** The step, before slots, approvals and quarantines are considered. */
export function decided(memory: HostMemory, now: number): HostStep {
  for (const guard of GUARDS) {
    const step = guard(memory, now);
    if (step !== undefined) return step;
  }
  return byState(memory, now);
}

/** The step by the rules of the host's state alone, without guards. */
export const byState = (memory: HostMemory, now: number): HostStep =>
  STATES[memory.status.provisioning.state](memory, now);
