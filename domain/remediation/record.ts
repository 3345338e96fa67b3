import type { Ending, Outcome } from '../entity/entity.ts';
import { hostAfter } from '../machine/memory/host-after.ts';
import type { RemediationMemory } from './memory.ts';
import type { SickHost } from './sick-host.ts';
import type { RemediationAction, RemediationAnswer } from './step.ts';
import { troubled } from './waits.ts';

/** Records how an action ended. */
export function record(
  memory: RemediationMemory,
  action: RemediationAction,
  outcome: Outcome<RemediationAnswer>,
  { now, before }: Pick<Ending<RemediationMemory>, 'now' | 'before'>,
): RemediationMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed') return withFailure(memory, action, outcome.message, now);
  const { answer } = outcome;
  const well = { ...memory, trouble: null };
  switch (answer.kind) {
    case 'host': {
      const host = hostAfter<SickHost | null>(answer.host, before.seen, memory.seen);
      return host === undefined ? well : { ...well, seen: { ...memory.seen, host } };
    }
    case 'handed over':
      return { ...well, handedOver: true };
    case 'unreachable':
      return withFailure(memory, action, answer.message, now);
    case 'node':
      if (action.name === 'return node') {
        return { ...well, looked: lookOf(action), returned: answer.node === 'returned' };
      }
      return { ...well, node: answer.node === 'draining' || answer.node === 'left' ? answer.node : 'freed' };
  }
}

/** The last look for a Node is not repeated. */
function withFailure(
  memory: RemediationMemory,
  action: RemediationAction,
  message: string,
  now: number,
): RemediationMemory {
  if (action.name === 'return node' && action.at >= action.deadline)
    return { ...memory, looked: lookOf(action), trouble: null };
  const isLast = action.name === 'power on' && action.order.vanished === true;
  const trouble = { ...troubled(memory.trouble, message, now), ...(isLast && { afterVanishing: true as const }) };
  const failed = { ...memory, trouble };
  // The drain is begun again, which looks whether the cluster can be reached.
  return action.name === 'await drain' ? { ...failed, node: null } : failed;
}

const lookOf = ({ news, at }: Extract<RemediationAction, { name: 'return node' }>) => ({ news, at });
