import type { AskForSlotOrder } from '../../ironic/orders.ts';
import type { HostMemory } from './memory.ts';

/** The answer of the capacity workflow. */
export type SlotAnswer =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'queued'; readonly ticket: string; readonly ahead: number };

/** Records the request before it is sent, so that its answer is recognised. */
export const withSlotAsked = (memory: HostMemory, { ticket, limit, askedAt }: AskForSlotOrder): HostMemory => ({
  ...memory,
  slot: {
    ticket,
    askedAt,
    limit,
    state: memory.slot?.state ?? 'asked',
    ahead: memory.slot?.ahead ?? 0,
  },
});

/** Gives up requests: a late answer for these tickets is ignored. */
export function slotsGivenUp(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { slot, unwantedSlots: _, ...rest } = memory;
  const keeps = slot !== undefined && !tickets.includes(slot.ticket);
  return { ...rest, ...(keeps && { slot }), unwantedSlots: tickets };
}

/** Records that these tickets were returned. */
export function withSlotsReturned(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { unwantedSlots = [], ...rest } = memory;
  const left = unwantedSlots.filter((ticket) => !tickets.includes(ticket));
  return left.length === 0 ? rest : { ...rest, unwantedSlots: left };
}

/** Takes in an answer; a slot that is no longer needed is marked for return. */
export function withSlotAnswered(memory: HostMemory, answer: SlotAnswer): HostMemory {
  const { slot, unwantedSlots = [] } = memory;
  if (slot?.ticket !== answer.ticket) {
    if (answer.kind === 'queued' || unwantedSlots.includes(answer.ticket)) return memory;
    return { ...memory, unwantedSlots: [...unwantedSlots, answer.ticket] };
  }
  // A granted slot is not revoked.
  if (slot.state === 'granted') return memory;
  if (answer.kind === 'granted') return { ...memory, slot: { ...slot, state: 'granted', ahead: 0 } };
  return { ...memory, slot: { ...slot, state: 'queued', ahead: answer.ahead } };
}

/** The slots that a recreated host returns for its predecessor. */
export const inheritedSlots = ({ slot, unwantedSlots = [] }: HostMemory): Pick<HostMemory, 'unwantedSlots'> => {
  const tickets = slot === undefined ? unwantedSlots : [...unwantedSlots, slot.ticket];
  return tickets.length === 0 ? {} : { unwantedSlots: tickets };
};
