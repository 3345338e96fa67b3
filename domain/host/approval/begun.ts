import type { NodeState } from '../../ironic/node/node.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import { traitsOf } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { HostStep } from '../step.ts';
import { preparing } from './guarded.ts';

const IN_CLEANING: readonly NodeState[] = ['cleaning', 'clean wait', 'clean hold', 'clean failed'];

/**
 * The operation has begun, perhaps in another attempt or with another run: a server that is half erased does not wait
 * for the next window. In `preparing`, the node shows that a preparation has begun, and the run remembers with which
 * code. A run that was lost does not know it any more: its preparation counts as the one that has begun.
 */
export function isBegun({ status, node, preparedFor }: HostMemory, step: HostStep, code: string): boolean {
  const { hasBegun } = traitsOf(status.provisioning.state).operation;
  if (step.kind !== 'run') return false;
  if (hasBegun === 'yes') return true;
  const isCleaning = hasBegun === 'perhaps' && node !== null && IN_CLEANING.includes(node.state);
  return isCleaning && (preparedFor === undefined || preparedFor === code);
}

/** Remembers for which wish a preparation begins. */
export function withPreparationBegun(memory: HostMemory, order: PrepareOrder): HostMemory {
  const preparedFor = preparing(memory, order)?.code;
  return preparedFor === undefined ? memory : { ...memory, preparedFor };
}
