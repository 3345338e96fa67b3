import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { IronicNode } from '../../ironic/node/node.ts';
import { isPaused } from '../desired/wishes.ts';
import { type HostMemory, withEvent } from '../memory/memory.ts';
import { rebootRequests } from '../memory/reboot-annotations.ts';
import { withNode } from '../memory/with-node.ts';
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
  /** When Ironic switched the server of a host at rest, which nobody had asked for here (RFC 3339). */
  readonly switchedByIronicAt?: string;
}

/**
 * Takes in an observed change of the node: power, fault and health are shown, and a lost node is registered again.
 * Ignored for a host that is paused, detached, or has another node by now.
 */
export function withNodeObserved(
  memory: HostMemory,
  { uid, nodeId, node, unused, switchedByIronicAt }: NodeObservation,
): HostMemory {
  const { seen, status } = memory;
  if (seen.uid !== uid || status.provisioning.ID !== nodeId) return memory;
  if (isPaused(memory) || status.operationalStatus === 'detached') return memory;
  if (node === null) return memory.registration === null ? memory : withNode({ ...memory, registration: null }, null);
  // Taken for a node that was registered and not adopted yet. Its last state is not decided on, because older histories
  // have it without an adoption.
  const isAdopted = unused === true && status.provisioning.state === 'provisioned';
  const observed = withNode(memory, isAdopted ? { ...node, state: 'manageable' } : node);
  const powerFailed = status.errorType === 'power management error';
  // As upstream: a failed power change has succeeded after all.
  if (observed.status.poweredOn === status.poweredOn)
    return switchedByIronicAt === undefined || powerFailed ? observed : restorationTold(observed, switchedByIronicAt);
  return powerFailed ? { ...errorCleared(observed), retry: null } : driftTold(observed);
}

/** States in which Ironic has no reason of its own to switch a server. */
export const PARKED: readonly ProvisioningState[] = ['available', 'ready', 'provisioned', 'externally provisioned'];

/** Ironic has put the power right before anybody here has seen that it was wrong. */
function restorationTold(memory: HostMemory, at: string): HostMemory {
  const { poweredOn, provisioning } = memory.status;
  if (!PARKED.includes(provisioning.state)) return memory;
  const message = `Ironic switched the server ${poweredOn ? 'on' : 'off'} at ${at} although nobody had asked for it here: Ironic restores power that was changed without it`;
  return withEvent(memory, 'PowerDrift', message, true);
}

/** Somebody has switched the server, who did not ask here. That it is put right has an Event of its own. */
function driftTold(memory: HostMemory): HostMemory {
  const { status, seen } = memory;
  const { poweredOn, provisioning } = status;
  const isAsked = poweredOn === seen.spec.online || rebootRequests(memory).length > 0;
  if (isAsked || !PARKED.includes(provisioning.state)) return memory;
  const message = `The server was found ${poweredOn ? 'on' : 'off'} although spec.online is ${seen.spec.online}`;
  return withEvent(memory, 'PowerDrift', message, true);
}
