import type { IronicNode } from '../../ironic/node/node.ts';
import { isOccupied, saysOccupied } from '../../ironic/occupied.ts';
import { isAtRest, isInUse } from '../../states/table.ts';
import { isPaused } from '../desired/wishes.ts';
import { type HostMemory, withEvent } from '../memory/memory.ts';
import { rebootRequests } from '../memory/reboot-annotations.ts';
import { withNode } from '../memory/with-node.ts';
import { NODE_NOT_IN_USE, nodeNotInUse } from './node-not-in-use.ts';
import { errorCleared } from './transition.ts';

/** The node of a host that differs from the host's status, from the list of all Ironic nodes. */
export interface NodeObservation {
  readonly uid: string;
  /** Id of the host's node at that time. */
  readonly nodeId: string;
  /** null when Ironic does not know the node. */
  readonly node: IronicNode | null;
  /** An image runs on the host, and Ironic would deploy or clean the node for somebody else. */
  readonly unused?: true;
  /** An image runs on the host, and Ironic has its node in a state from which it can't be adopted. */
  readonly unadoptable?: true;
  /** When Ironic switched the server of a host at rest without a request from Temper (RFC 3339). */
  readonly switchedByIronicAt?: string;
}

/**
 * Takes in an observed change of the node: power, fault and health are shown, and a lost node is registered again.
 * Ignored for a host that is paused, detached, or has another node by now.
 */
export function withNodeObserved(
  memory: HostMemory,
  { uid, nodeId, node, unused, unadoptable, switchedByIronicAt }: NodeObservation,
): HostMemory {
  const { seen, status } = memory;
  if (seen.uid !== uid || status.provisioning.ID !== nodeId) return memory;
  if (isPaused(memory) || status.operationalStatus === 'detached') return memory;
  if (node === null) return withoutNode(freed(memory, node));
  // The host adopts the node again, as after its registration. The real state cannot lead to that: older histories have
  // it without an adoption, so their replay would fail.
  const isAdopted = unused === true && isInUse(status.provisioning.state);
  const seenNow = withNode(memory, isAdopted ? { ...node, state: 'manageable' } : node);
  const observed = freed(unadoptable === true ? unadoptableTold(seenNow) : seenNow, node);
  const powerFailed = status.errorType === 'power management error';
  // As upstream: a failed power change has succeeded after all.
  if (observed.status.poweredOn === status.poweredOn)
    return switchedByIronicAt === undefined || powerFailed ? observed : restorationTold(observed, switchedByIronicAt);
  return powerFailed ? { ...errorCleared(observed), retry: null } : driftTold(observed);
}

const withoutNode = (memory: HostMemory): HostMemory =>
  memory.registration === null ? memory : withNode({ ...memory, registration: null }, null);

/** Nothing is on the node any more that is not ours: a person has undeployed it, or deleted it from Ironic. */
const freed = (memory: HostMemory, node: IronicNode | null): HostMemory =>
  saysOccupied(memory.status.errorMessage) && (node === null || !isOccupied(node))
    ? { ...errorCleared(memory), retry: null }
    : memory;

/** Nothing is done: whatever Ironic would do next with such a node might erase what runs. */
function unadoptableTold(memory: HostMemory): HostMemory {
  const known: HostMemory = { ...memory, isUnadoptable: true };
  const words = nodeNotInUse(known);
  if (words === undefined || nodeNotInUse(memory) !== undefined) return known;
  return withEvent(known, NODE_NOT_IN_USE, words, true);
}

/** Ironic restored the power before the bridge saw the change. A host at rest gives it no other reason to switch it. */
function restorationTold(memory: HostMemory, at: string): HostMemory {
  const { poweredOn, provisioning } = memory.status;
  if (!isAtRest(provisioning.state)) return memory;
  const message = `Ironic switched the server ${poweredOn ? 'on' : 'off'} at ${at} although nobody had asked for it here: Ironic restores power that was changed without it`;
  return withEvent(memory, 'PowerDrift', message, true);
}

/** The power was changed outside Temper. Restoring it has its own Event. */
function driftTold(memory: HostMemory): HostMemory {
  const { status, seen } = memory;
  const { poweredOn, provisioning } = status;
  const isAsked = poweredOn === seen.spec.online || rebootRequests(memory).length > 0;
  if (isAsked || !isAtRest(provisioning.state)) return memory;
  const message = `The server was found ${poweredOn ? 'on' : 'off'} although spec.online is ${seen.spec.online}`;
  return withEvent(memory, 'PowerDrift', message, true);
}
