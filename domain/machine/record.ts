import type { Ending, Outcome } from '../entity/entity.ts';
import { pauseMs } from '../entity/retry.ts';
import { areComparable } from '../entity/seen.ts';
import { associated } from './associate/associate.ts';
import { withUserData } from './associate/data.ts';
import { withConsumer, withHostAfter, withNoHost } from './memory/host-after.ts';
import { withClaimed, withoutLastHost } from './memory/last-host.ts';
import { annotatedHost, isAnotherSearch, type MachineMemory, withRecord } from './memory/memory.ts';
import type { AssociateOrder, HostAnswer, MachineAction, MachineAnswer } from './memory/step.ts';
import { withDomainTold } from './report/failure-domain.ts';

/** A minute, then doubled each time, with random variation in its second half: after a failure one hour at most. */
const AFTER_FAILURE = { firstMs: 60_000, longestMs: 3_600_000 };
/** Ten minutes is the interval at which upstream reconciles without an event. */
const BETWEEN_LOOKS = { firstMs: 60_000, longestMs: 600_000 };

type Chance = Ending<MachineMemory>;

/** Records how an action ended. Its effect on other objects is known from its answer before the next snapshot. */
export function record(
  memory: MachineMemory,
  action: MachineAction,
  outcome: Outcome<MachineAnswer>,
  chance: Chance,
): MachineMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed') return failed(memory, action, outcome.message, chance);
  const { answer } = outcome;
  if (answer.kind === 'invalid') return failed(withClaimed(memory, answer.claimed), action, answer.message, chance);
  if (action.name === 'look at last host') return lookedAt(memory, answer, chance);
  const notGiven =
    action.name === 'associate' && answer.kind === 'taken' ? whyNotGiven(action.order, answer) : undefined;
  if (notGiven !== undefined) return failed(memory, action, notGiven, chance);
  const known = memory.trouble?.action === action.name ? { ...memory, trouble: null } : memory;
  return answered(known, action, answer, chance);
}

/**
 * Why the host was not given to the machine, when the same claim would be made again at once: the host has no consumer,
 * or its Cluster keeps it. Undefined when another consumer has it.
 */
export function whyNotGiven(
  { host }: AssociateOrder,
  { by, why = 'has no consumer' }: Extract<HostAnswer, { readonly kind: 'taken' }>,
): string | undefined {
  if (by !== null && by.kind !== 'Cluster') return undefined;
  const named = host === undefined ? 'the chosen BareMetalHost' : `BareMetalHost ${host.name}`;
  return `${named} ${by === null ? why : `is taken by Cluster ${by.namespace ?? ''}/${by.name ?? ''}`}`;
}

function failed(memory: MachineMemory, action: MachineAction, message: string, { now, dice }: Chance): MachineMemory {
  const count = memory.trouble?.action === action.name ? memory.trouble.count + 1 : 1;
  return {
    ...memory,
    trouble: { action: action.name, message, count, until: now + pauseMs(count, AFTER_FAILURE, dice) },
  };
}

/**
 * The host that was looked at is its own, or the machine has none. What was found before an etcd was restored, or before
 * the bridge was started again, may not be so any more. Its name is kept until the claim is repeated.
 */
function lookedAt(memory: MachineMemory, answer: MachineAnswer, chance: Chance): MachineMemory {
  if (!areComparable(chance.before.seen, memory.seen)) return memory;
  const known = memory.trouble?.action === 'look at last host' ? { ...memory, trouble: null } : memory;
  if (answer.kind === 'host' && answer.host !== null) return withHostAfter(known, answer.host, chance);
  const isUnnamed = annotatedHost(known.seen.hostAnnotation) === '' && known.record.host === known.lastHost;
  return withoutLastHost(isUnnamed ? withRecord(known, { host: '' }) : known);
}

type Given = Exclude<MachineAnswer, { readonly kind: 'invalid' }>;

function answered(memory: MachineMemory, action: MachineAction, answer: Given, chance: Chance): MachineMemory {
  switch (answer.kind) {
    case 'associated': {
      const claimed = { viaReuse: answer.viaReuse, noHost: null, marked: answer.host.resourceVersion };
      const known = withHostAfter({ ...memory, ...claimed }, answer.host, chance);
      const isSeen = areComparable(chance.before.seen, memory.seen);
      const { name } = answer.host;
      const named = withRecord(isSeen ? withoutLastHost(known) : withClaimed(known, name), { host: name });
      const told = withRefusal(associated(withUserData(named)), answer);
      return memory.record.host === '' ? withDomainTold(told) : told;
    }
    case 'no host':
      return withNoHost(memory, answer);
    case 'host': {
      const released = memory.released || action.name === 'release host';
      return withHostAfter({ ...withRefusal(memory, answer), released }, answer.host, chance);
    }
    case 'taken':
      return withConsumer(memory, answer.by, chance);
    case 'claim': {
      const { claim: _, ...seen } = memory.seen;
      // Its data may have been made, and shown by a snapshot, before the answer to the request came.
      if (memory.seen.claim?.renderedData !== undefined && action.name === 'request data') return memory;
      return { ...memory, seen: answer.claim === null ? seen : { ...seen, claim: answer.claim } };
    }
    case 'node':
      return isAnotherSearch(chance.before.seen, memory.seen) ? memory : withNode(memory, answer, chance);
    case 'done':
      // Labels that another client changed meanwhile may not have been there when the Node was read.
      return action.name === 'sync labels' && memory.seen.nodeDrift === chance.before.seen.nodeDrift
        ? { ...memory, synced: action.order }
        : memory;
  }
}

/** Shown as long as the machine has the host. */
const withRefusal = (memory: MachineMemory, { refused }: { readonly refused?: string }): MachineMemory =>
  refused === undefined ? memory : withRecord(memory, { refused });

/** Until Cluster API has found it, a linked Node may disappear and return without its providerID. */
function withNode(
  { nextSearch: before, ...memory }: MachineMemory,
  { answer: node, again }: Extract<MachineAnswer, { kind: 'node' }>,
  { now, dice }: Chance,
): MachineMemory {
  if (node.kind !== 'linked' || again !== true) return { ...memory, node };
  const count = memory.node?.kind === 'linked' && before !== undefined ? before.count + 1 : 1;
  return { ...memory, node, nextSearch: { count, at: now + pauseMs(count, BETWEEN_LOOKS, dice) } };
}
