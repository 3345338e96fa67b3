import type { Step } from '../../entity/entity.ts';
import { isPutOff, wait, waitToRetry } from '../../entity/retry.ts';
import type {
  ConditionReason,
  Conditions,
  LegacyConditions,
  LegacyConditionType,
  LegacyReason,
  MachineConditionType,
} from './conditions.ts';
import { type MachineMemory, withConditions } from './memory.ts';
import type { MachineAction } from './step.ts';

export type MachineStep = Step<MachineMemory, MachineAction>;

/** The result of one step of reasoning: the new memory, and what to do next. */
export interface Pass {
  readonly memory: MachineMemory;
  readonly step: MachineStep;
}

export const actPass = (memory: MachineMemory, action: MachineAction): Pass => ({
  memory,
  step: { kind: 'act', action },
});
export const waitPass = (memory: MachineMemory, reason: string, until?: number, cause?: string): Pass => ({
  memory,
  step: wait(reason, until, cause),
});

export const is = (type: MachineConditionType, reason: ConditionReason): Conditions => ({
  [type]: { status: 'True', reason, message: '' },
});
export const isNot = (type: MachineConditionType, reason: ConditionReason, message = ''): Conditions => ({
  [type]: { status: 'False', reason, message },
});
export const legacyIs = (type: LegacyConditionType): LegacyConditions => ({ [type]: { status: 'True' } });
export const legacyIsNot = (
  type: LegacyConditionType,
  severity: 'Error' | 'Warning' | 'Info',
  reason: LegacyReason,
  message = '',
): LegacyConditions => ({ [type]: { status: 'False', severity, reason, ...(message !== '' && { message }) } });

/** How a failed action is shown: as a condition and as a legacy condition. */
export interface Complaint {
  readonly type: MachineConditionType;
  readonly reason: ConditionReason;
  readonly prefix: string;
  readonly legacy?: (message: string) => LegacyConditions;
}

/** About the machine's data or its Node; `legacy`: the reason of a legacy condition, too. */
export const dataComplaint = (reason: ConditionReason, prefix: string, legacy?: LegacyReason): Complaint => ({
  type: 'AssociateMetal3MachineMetaData',
  reason,
  prefix,
  ...(legacy && { legacy: (message: string) => legacyIsNot('KubernetesNodeReady', 'Warning', legacy, message) }),
});

/** The same conditions for all errors at one place. */
export const complain = (
  memory: MachineMemory,
  { type, reason, prefix, legacy }: Complaint,
  message: string,
): MachineMemory => withConditions(memory, isNot(type, reason, `${prefix}: ${message}`), legacy?.(message));

/** Performs the action, or shows its failure and waits until it may be retried. */
export function attempt(memory: MachineMemory, action: MachineAction, complaint: Complaint, now: number): Pass {
  const { trouble } = memory;
  if (trouble === null || trouble.action !== action.name) return actPass(memory, action);
  const told = complain(memory, complaint, trouble.message);
  if (!isPutOff(trouble, now)) return actPass(told, action);
  return { memory: told, step: waitToRetry(trouble.message, trouble.until) };
}
