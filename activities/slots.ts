import type { SlotRequest } from '../domain/capacity/capacity.ts';

export interface SlotActivities {
  /** Hands the request to whoever gives out slots, starting them if need be. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
}

/** `ask` reaches the workflow that hands out slots; an activity because a workflow can signal another one but not start it. */
export const createSlotActivities = (ask: (request: SlotRequest) => Promise<unknown>): SlotActivities => ({
  askForSlot: async (request) => void (await ask(request)),
});
