import type { Moment } from '../entity/entity.ts';
import { troubled } from '../remediation/waits.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineApiAction, MachineApiStep } from './step.ts';

export const wait = (reason: string, until?: number, cause?: string): MachineApiStep => ({
  kind: 'wait',
  reason,
  ...(cause !== undefined && { cause }),
  ...(until !== undefined && { until }),
});

/** Performs the action, or waits for its next attempt after a failure. */
export function attempt(
  { trouble }: MachineApiMemory,
  action: MachineApiAction,
  { now }: Pick<Moment, 'now'>,
): MachineApiStep {
  const isTroubled = trouble !== null && trouble.action === action.name && now < trouble.until;
  return isTroubled
    ? wait(`waiting to try again after: ${trouble.message}`, trouble.until, trouble.message)
    : { kind: 'act', action };
}

export const withTrouble = (
  memory: MachineApiMemory,
  action: MachineApiAction['name'],
  message: string,
  now: number,
): MachineApiMemory => {
  const before = memory.trouble?.action === action ? memory.trouble : null;
  return { ...memory, trouble: { ...troubled(before, message, now), action } };
};
