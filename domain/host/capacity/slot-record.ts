import type { AskForSlotOrder } from '../../ironic/orders.ts';
import type { HostMemory } from '../memory/memory.ts';

/** A place among the hosts that Ironic may have in hand at the same time, wished for or held. */
export interface Slot {
  readonly ticket: string;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /** The limit that was told with the request. */
  readonly limit: number;
  /** `asked`: no answer yet. */
  readonly state: 'asked' | 'queued' | 'granted';
  /** Hosts before this one when it asked; known once queued. */
  readonly ahead: number;
}

/** What the workflow that hands out slots answers. */
export type SlotAnswer =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'queued'; readonly ticket: string; readonly ahead: number };

/** Books the request before it is sent, so that an answer finds it. */
export const slotAsked = (memory: HostMemory, { ticket, limit, askedAt }: AskForSlotOrder): HostMemory => ({
  ...memory,
  slot: { ticket, askedAt, limit, state: memory.slot?.state ?? 'asked', ahead: memory.slot?.ahead ?? 0 },
});

/** From now on a late answer for these finds nobody. */
export function slotsGivenUp(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { slot, unwantedSlots: _, ...rest } = memory;
  const keeps = slot !== undefined && !tickets.includes(slot.ticket);
  return { ...rest, ...(keeps && { slot }), unwantedSlots: tickets };
}

/** These have been returned. */
export function slotsReturned(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { unwantedSlots = [], ...rest } = memory;
  const left = unwantedSlots.filter((ticket) => !tickets.includes(ticket));
  return left.length === 0 ? rest : { ...rest, unwantedSlots: left };
}

/** Takes an answer; a slot that nobody here wants (any more) is to be returned. */
export function slotAnswered(memory: HostMemory, answer: SlotAnswer): HostMemory {
  const { slot, unwantedSlots = [] } = memory;
  if (slot?.ticket !== answer.ticket) {
    if (answer.kind === 'queued' || unwantedSlots.includes(answer.ticket)) return memory;
    return { ...memory, unwantedSlots: [...unwantedSlots, answer.ticket] };
  }
  // A slot is not taken away again.
  if (slot.state === 'granted') return memory;
  if (answer.kind === 'granted') return { ...memory, slot: { ...slot, state: 'granted', ahead: 0 } };
  return { ...memory, slot: { ...slot, state: 'queued', ahead: answer.ahead } };
}

/** What a recreated host has to give back for the one it takes the place of. */
export const inheritedSlots = ({ slot, unwantedSlots = [] }: HostMemory): Pick<HostMemory, 'unwantedSlots'> => {
  const tickets = slot === undefined ? unwantedSlots : [...unwantedSlots, slot.ticket];
  return tickets.length === 0 ? {} : { unwantedSlots: tickets };
};
