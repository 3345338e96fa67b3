import type { IronicNode } from '../../ironic/node/node.ts';
import { isPaused } from '../desired/wishes.ts';
import { errorCleared } from '../outcome/transition.ts';
import type { HostMemory } from './memory.ts';
import { withNode } from './with-node.ts';

/** What a look at all of Ironic's nodes told of the node of one host that differs from what the host shows. */
export interface NodeObservation {
  readonly uid: string;
  /** Of the node that the host was thought to have then. */
  readonly nodeId: string;
  /** null: Ironic does not know it. */
  readonly node: IronicNode | null;
}

/**
 * Takes in what became of the node while nothing was asked of it: power, fault and health are shown, and a node that is
 * gone is registered anew. Says nothing to a host that is paused, detached, or has another node by now.
 */
export function nodeObserved(memory: HostMemory, { uid, nodeId, node }: NodeObservation): HostMemory {
  const { seen, status } = memory;
  if (seen.uid !== uid || status.provisioning.ID !== nodeId) return memory;
  if (isPaused(memory) || status.operationalStatus === 'detached') return memory;
  if (node === null) return memory.registration === null ? memory : withNode({ ...memory, registration: null }, null);
  const observed = withNode(memory, node);
  const powerFailed = status.errorType === 'power management error';
  // As upstream: what could not be switched has switched.
  return powerFailed && observed.status.poweredOn !== status.poweredOn
    ? { ...errorCleared(observed), retry: null }
    : observed;
}
