import { traitsOf } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';
import { isForceDeleteAsked } from './force-delete-asked.ts';

/**
 * A host that is deleted by force is neither deprovisioned nor powered off, and no longer waits for Ironic: its node is
 * deleted if that succeeds at once.
 */
export function forceDeletion(memory: HostMemory, now: number): HostStep | undefined {
  const { seen, status, finished } = memory;
  if (!isForceDeleteAsked(seen)) return undefined;
  const { state, ID } = status.provisioning;
  if (traitsOf(state).work !== 'delete') return enter(errorCleared(memory), 'deleting', now);
  // From here the rules of the state `deleting` apply: they release the Secrets.
  if (finished !== null) return undefined;
  const mayHaveNode = ID !== '' || status.operationHistory.register?.start != null;
  if (!mayHaveNode) return undefined;
  const { namespace, name, uid } = seen;
  return {
    kind: 'act',
    action: { name: 'discard', order: { host: { namespace, name, uid }, nodeId: ID, isForced: true } },
  };
}
