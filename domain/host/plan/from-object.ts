import { type NodeState, nodeIn } from '../../ironic/node/node.ts';
import { traitsOf } from '../../states/table.ts';
import { registeredSettings } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { HostSnapshot } from '../memory/snapshot.ts';
import { begin } from '../memory/take-in.ts';
import { PARKED } from '../steering/held-back.ts';

/** A host for a plan: its snapshot, and whether it has our finalizer. */
export interface HostToPlan {
  readonly snapshot: HostSnapshot;
  readonly held: boolean;
  /** The message of its condition Ready; '' without one. */
  readonly situation: string;
}

/**
 * The state of the node in Ironic that fits the state of the host. A host that is available has not always been
 * cleaned: its plan says that it will be.
 */
function nodeStateOf({ status }: HostMemory): NodeState {
  const { work, server, deletion } = traitsOf(status.provisioning.state);
  // During a deployment the disks were cleaned, or are being cleaned.
  if (work === 'provision' && status.operationalStatus === 'OK') return 'deploying';
  if (server.runsImage) return 'active';
  return deletion.isPart ? 'available' : 'manageable';
}

/**
 * The memory of the host's workflow, as far as its object shows it. Ironic is assumed to have the settings that the
 * object shows, and the BMC to be as the object says.
 */
export function memoryOf({ snapshot, held, situation }: HostToPlan): HostMemory {
  const memory = {
    ...begin(snapshot),
    hasFinalizer: held,
    ...(situation.includes(PARKED) && { isAborted: true as const }),
  };
  const { provisioning, poweredOn, errorType, operationalStatus } = memory.status;
  if (provisioning.ID === '' || !traitsOf(provisioning.state).node.isRegistered) return memory;
  if (errorType === 'registration error' || operationalStatus === 'detached') return memory;
  const { preprovisioningNetworkData: network, bmcSecret } = memory.seen;
  return {
    ...memory,
    shownPower: poweredOn,
    node: nodeIn(nodeStateOf(memory), { id: provisioning.ID, poweredOn }),
    registration: {
      settings: registeredSettings(memory),
      credentialsSeen: bmcSecret?.resourceVersion ?? null,
      credentialsUsed: null,
      ...(typeof network?.resourceVersion === 'string' && {
        network: { name: network.name, seen: network.resourceVersion, used: '' },
      }),
    },
  };
}
