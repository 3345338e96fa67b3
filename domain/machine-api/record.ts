import type { Ending, Outcome } from '../entity/entity.ts';
import { areComparable } from '../entity/seen.ts';
import { withConsumer, withHostAfter, withNoHost } from '../machine/memory/host-after.ts';
import { withClaimed, withoutLastHost } from '../machine/memory/last-host.ts';
import { whyNotGiven } from '../machine/record.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineApiAction, MachineApiAnswer } from './step.ts';
import { withTrouble } from './waits.ts';

/** Records how an action ended. Its effect on other objects is known from its answer before the next snapshot. */
export function record(
  memory: MachineApiMemory,
  action: MachineApiAction,
  outcome: Outcome<MachineApiAnswer>,
  ending: Ending<MachineApiMemory>,
): MachineApiMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed') return withTrouble(memory, action.name, outcome.message, ending.now);
  const { answer } = outcome;
  if (answer.kind === 'invalid')
    return withTrouble(withClaimed(memory, answer.claimed), action.name, answer.message, ending.now);
  if (action.name === 'look at last host') return lookedAt(memory, answer, ending);
  const notGiven =
    action.name === 'associate' && answer.kind === 'taken' ? whyNotGiven(action.order, answer) : undefined;
  if (notGiven !== undefined) return withTrouble(memory, action.name, notGiven, ending.now);
  return answered({ ...memory, trouble: null }, action, answer, ending);
}

/**
 * The host that was looked at is its own, or the Machine has none. What was found before an etcd was restored, or before
 * the bridge was started again, may not be so any more. Its name is kept until the claim is repeated.
 */
function lookedAt(
  memory: MachineApiMemory,
  answer: MachineApiAnswer,
  ending: Ending<MachineApiMemory>,
): MachineApiMemory {
  if (!areComparable(ending.before.seen, memory.seen)) return memory;
  const known = { ...memory, trouble: null };
  return answer.kind === 'host' && answer.host !== null
    ? withHostAfter(known, answer.host, ending)
    : withoutLastHost(known);
}

function answered(
  memory: MachineApiMemory,
  action: MachineApiAction,
  answer: Exclude<MachineApiAnswer, { readonly kind: 'invalid' }>,
  ending: Ending<MachineApiMemory>,
): MachineApiMemory {
  switch (answer.kind) {
    case 'associated': {
      const claimed = withHostAfter({ ...memory, noHost: null }, answer.host, ending);
      const isSeen = areComparable(ending.before.seen, memory.seen);
      return isSeen ? withoutLastHost(claimed) : withClaimed(claimed, answer.host.name);
    }
    case 'no host':
      return withNoHost(memory, answer);
    case 'host': {
      const known = answer.host === null ? memory : marked(memory, action);
      return withHostAfter(
        { ...known, released: memory.released || action.name === 'release host' },
        answer.host,
        ending,
      );
    }
    case 'taken':
      return withConsumer(memory, answer.by, ending);
    case 'node':
      if (action.name === 'link node') return { ...memory, nodeLinked: action.order.node.uid };
      return action.name === 'delete node' ? { ...memory, nodeDeleted: action.order.node.uid } : memory;
    case 'done':
      return remediated(memory, action);
  }
}

/** What a step of a remediation has changed, until a snapshot shows it. */
function remediated(memory: MachineApiMemory, action: MachineApiAction): MachineApiMemory {
  const { remediation, node, ...seen } = memory.seen;
  if (action.name === 'return node') return { ...memory, seen: { ...seen, ...(node && { node }) } };
  if (remediation === undefined) return memory;
  if (action.name === 'take node away') return { ...memory, nodeDeleted: action.order.node.uid };
  return { ...memory, seen: { ...memory.seen, remediation: { ...remediation, mayReplace: false } } };
}

/** The Machine is marked when its host is powered on. */
function marked(memory: MachineApiMemory, action: MachineApiAction): MachineApiMemory {
  const { remediation } = memory.seen;
  if (action.name !== 'let host on' || action.order.deadline === undefined || remediation === undefined) return memory;
  const { deadline } = action.order;
  return { ...memory, seen: { ...memory.seen, remediation: { ...remediation, isPoweredOff: true, deadline } } };
}
