import type { AdoptOrder } from '../../ironic/orders.ts';
import { provisionedWith, provisioningCancelled, wantedImage } from '../desired/wishes.ts';
import { nodeRef } from '../guards.ts';
import { mediaFirst } from '../media/media.ts';
import type { HostMemory } from '../memory/memory.ts';
import { nodeNotInUse } from '../outcome/node-not-in-use.ts';
import { enter } from '../outcome/transition.ts';
import { managePower } from '../power/power.ts';
import type { HostStep } from '../step.ts';

export function provisioned(memory: HostMemory, now: number): HostStep {
  if (provisioningCancelled(memory, provisionedWith(memory))) return enter(memory, 'deprovisioning', now);
  const step = managePower(memory, 'provisioned as desired');
  return adoptionNeeded(memory) ?? leftAlone(memory) ?? mediaFirst(memory, step, now);
}

/**
 * Installed by other means: only its power is managed. Without spec.externallyProvisioned it is treated as provisioned
 * with the image in the spec.
 */
export function externallyProvisioned(memory: HostMemory, now: number): HostStep {
  if (!memory.seen.spec.externallyProvisioned) {
    return enter(memory, 'provisioned', now, {
      provisioning: {
        ...memory.status.provisioning,
        image: wantedImage(memory) ?? { url: '' },
        ...(memory.seen.spec.customDeploy !== undefined && { customDeploy: memory.seen.spec.customDeploy }),
      },
    });
  }
  const step = managePower(memory, 'externally provisioned, only power is managed');
  return adoptionNeeded(memory) ?? leftAlone(memory) ?? mediaFirst(memory, step, now);
}

/** A server that boots the agent while Ironic waits for it would be written or erased, so it is not switched either. */
function leftAlone(memory: HostMemory): HostStep | undefined {
  const words = nodeNotInUse(memory);
  return words === undefined ? undefined : { kind: 'wait', reason: words };
}

/** A node that runs an image but was just created in Ironic is adopted, so that Ironic knows it is in use. */
function adoptionNeeded(memory: HostMemory): HostStep | undefined {
  const { node } = memory;
  const state = node?.state;
  // Maintenance mode set by a person keeps Ironic from managing the node; adopting it ends the maintenance.
  const isKeptAway = node !== null && state === 'active' && node.maintenance && node.fault === null;
  if (!isKeptAway && state !== 'manageable' && state !== 'adopt failed' && state !== 'adopting') return undefined;
  const order = { ...nodeRef(memory), ...running(memory), retry: state === 'adopt failed' };
  return { kind: 'act', action: { name: 'adopt', order } };
}

/** What was deployed on the host, as its status says. */
function running({ status }: HostMemory): Pick<AdoptOrder, 'image' | 'customDeployMethod'> {
  const { image, customDeploy } = status.provisioning;
  return {
    ...(image?.url && { image }),
    ...(customDeploy?.method && { customDeployMethod: customDeploy.method }),
  };
}
