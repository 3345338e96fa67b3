import { type ProvisioningState, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { BEFORE_ALL } from '../../clock.ts';
import { nodeIn } from '../../ironic/node/node.ts';
import { isInUse, traitsOf } from '../../states/table.ts';
import { isBroughtAlong } from '../guards.ts';
import { detachmentAsked } from '../memory/detach-annotation.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import type { Action } from '../memory/task.ts';
import { byState } from '../next-step.ts';
import { unsent } from '../registration/unsent.ts';
import { type WaitReason, waitReason } from '../waits.ts';
import { isHeldBack } from './situation.ts';
import { waitFactsOf } from './wait-facts.ts';
import { summaryOf } from './words.ts';

/**
 * What the host has still to do for what its generation asks for. `reconciling`: it does it, or holds it. `stalled`: it
 * has given up until something changes. undefined: nothing.
 */
export type Due =
  | { readonly kind: 'reconciling'; readonly reason: string; readonly next: string }
  | { readonly kind: 'stalled'; readonly reason: string };

/** A step, and the reason of a condition that names it. */
interface Next {
  readonly reason: string;
  readonly words: string;
}

/** Reasons while a person holds the host back; the status of such a host is written even before it has a state. */
export const HELD_BY_A_PERSON: readonly string[] = ['Quarantined', 'ParkedByAbort'] satisfies readonly WaitReason[];

/** Reasons after a failure of a host that has not given up: the Secret often comes after the host that names it. */
const GOES_ON: readonly string[] = ['Retrying', 'WaitingForSecret'] satisfies readonly WaitReason[];

/** `memory`: of a host that is not paused. */
export function dueOf(memory: HostMemory): Due | undefined {
  const facts = waitFactsOf(memory);
  const { failed, state } = facts;
  if (failed !== undefined && !GOES_ON.includes(failed)) return { kind: 'stalled', reason: failed };
  if (isLeftDetached(memory)) return undefined;
  const { busy } = traitsOf(state);
  const next = busy === null ? nextAtRest(memory) : { reason: busy.reason, words: state };
  if (next === undefined) return undefined;
  const reason = whyHeldBack(memory) ?? waitReason(facts) ?? next.reason;
  return { kind: 'reconciling', reason, next: next.words };
}

const isLeftDetached = (memory: HostMemory): boolean =>
  memory.status.operationalStatus === 'detached' && detachmentAsked(memory.seen) !== undefined && !isDeleting(memory);

function whyHeldBack(memory: HostMemory): WaitReason | undefined {
  if (!isHeldBack(memory)) return undefined;
  return STEERING_ANNOTATIONS.quarantine in memory.seen.annotations ? 'Quarantined' : 'ParkedByAbort';
}

/** The step of a host in a state in which it can be as desired. */
function nextAtRest(memory: HostMemory): Next | undefined {
  const { state } = memory.status.provisioning;
  if (isDeleting(memory)) return into(traitsOf(state).deletion.leadsTo ?? state);
  if (memory.retry !== null) return { reason: 'Retrying', words: 'try again' };
  return registrationDue(memory) ?? stateDue(asIfAttached(memory));
}

/**
 * Ironic is to be told settings of the spec, or it has to know the host again. A new password, and a node that Ironic
 * has lost, are not what the generation asks for: thousands of hosts at rest would be written.
 */
function registrationDue(memory: HostMemory): Next | undefined {
  const { registration, isReattached, status } = memory;
  if (isReattached || isBroughtAlong(memory) || status.operationalStatus === 'detached')
    return { reason: 'Registering', words: 'register with Ironic' };
  if (registration === null) return undefined;
  const fields = unsent(memory, registration).flatMap(({ what }) => (what.startsWith('spec.') ? [what] : []));
  if (fields.length === 0 && registration.isUnsure !== true) return undefined;
  return { reason: 'Registering', words: `tell Ironic ${fields.join(', ') || 'its settings again'}` };
}

/**
 * The host once Ironic knows its node as it should: registered, adopted, with its power as it was last shown. What
 * remains to be done then is what the spec asks for.
 */
function asIfAttached(memory: HostMemory): HostMemory {
  const { node, status, seen } = memory;
  const { dataImage: _, ...others } = seen;
  const poweredOn = isPowerNeverKnown(memory) ? null : (node?.poweredOn ?? status.poweredOn);
  return {
    ...memory,
    seen: others,
    shownPower: status.poweredOn,
    node: nodeIn(isInUse(status.provisioning.state) ? 'active' : 'available', { id: '', poweredOn }),
  };
}

/**
 * A BMC that Ironic reaches, and that has never reported a power: nothing is switched. The status says `poweredOn: false`
 * of such a host, as of one that was off when its power was last known.
 */
const isPowerNeverKnown = ({ node, status }: HostMemory): boolean =>
  node !== null && node.poweredOn === null && node.fault === null && !node.maintenance && !status.poweredOn;

/** Limit of what is noted before a step that counts: a host notes two or three things. */
const MOST_NOTES = 100;

function stateDue(begun: HostMemory): Next | undefined {
  let memory = begun;
  for (let count = 0; count < MOST_NOTES; count++) {
    const step = byState(memory, BEFORE_ALL);
    switch (step.kind) {
      case 'become':
        return into(step.state);
      case 'act':
        return step.action.name === 'power' ? powerDue(memory, step.action) : undefined;
      case 'note':
        if (step.memory.retry !== null) return undefined;
        memory = step.memory;
        break;
      case 'run':
      case 'show':
      case 'gone':
      case 'wait':
        return undefined;
    }
  }
  return undefined;
}

const into = (state: ProvisioningState): Next => ({
  reason: traitsOf(state).busy?.reason ?? 'ChangingState',
  words: state,
});

/** A reboot is asked for by an annotation, and not by the generation: only the power of `spec.online` counts. */
function powerDue({ seen }: HostMemory, action: Extract<Action, { readonly name: 'power' }>): Next | undefined {
  const { on, rebootFor } = action.order;
  if (on !== seen.spec.online || rebootFor !== undefined) return undefined;
  const words = summaryOf(action).replace(/^./, (first) => first.toLowerCase());
  return { reason: on ? 'PoweringOn' : 'PoweringOff', words };
}
