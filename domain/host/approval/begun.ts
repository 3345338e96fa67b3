import type { NodeState } from '../../ironic/node/node.ts';
import type { HostMemory } from '../memory/memory.ts';
import { UNDERWAY } from '../memory/place-record.ts';
import type { HostStep } from '../step.ts';

const IN_CLEANING: readonly NodeState[] = ['cleaning', 'clean wait', 'clean hold', 'clean failed'];

/**
 * The operation has begun, perhaps in another attempt or with another run: a server that is half erased does not wait
 * for the next window. In `preparing`, only the node shows it.
 */
export function isBegun({ status, node }: HostMemory, step: HostStep): boolean {
  const { state } = status.provisioning;
  if (step.kind !== 'run') return false;
  return UNDERWAY.includes(state) || (state === 'preparing' && node !== null && IN_CLEANING.includes(node.state));
}
