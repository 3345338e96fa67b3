import type { SlotRequest } from '../domain/capacity/capacity.ts';
import type { ActivityCall } from './ironic/context.ts';

export interface SlotActivities {
  /** Hands the request to whoever gives out slots, starting them if need be. Idempotent by the request's ticket. */
  askForSlot(request: SlotRequest): Promise<void>;
}

interface SlotDeps {
  /** Reaches the workflow that hands out slots; an activity because a workflow can signal another one but not start it. */
  readonly ask: (request: SlotRequest, signal: AbortSignal) => Promise<unknown>;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

export const createSlotActivities = ({ ask, currentCall }: SlotDeps): SlotActivities => ({
  askForSlot: async (request) => void (await ask(request, currentCall().signal)),
});
