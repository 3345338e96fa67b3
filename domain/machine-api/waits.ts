import type { Moment } from '../entity/entity.ts';
import { isPutOff, troubled, waitToRetry } from '../entity/retry.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineApiAction, MachineApiStep } from './step.ts';

const LAST_RETRY_MS = 60_000;

/** Performs the action, or waits for its next attempt after a failure. */
export function attempt(
  { trouble }: MachineApiMemory,
  action: MachineApiAction,
  { now }: Pick<Moment, 'now'>,
): MachineApiStep {
  const isTroubled = trouble !== null && trouble.action === action.name && isPutOff(trouble, now);
  return isTroubled ? waitToRetry(trouble.message, trouble.until) : { kind: 'act', action };
}

export const withTrouble = (
  memory: MachineApiMemory,
  action: MachineApiAction['name'],
  message: string,
  now: number,
): MachineApiMemory => {
  const before = memory.trouble?.action === action ? memory.trouble : null;
  return { ...memory, trouble: { ...troubled(before, message, now, LAST_RETRY_MS), action } };
};
