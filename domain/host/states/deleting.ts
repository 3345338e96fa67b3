import { hostRef } from '../desired/wishes.ts';
import { nodeRef } from '../guards.ts';
import type { HostMemory } from '../memory/memory.ts';
import { enter } from '../outcome/transition.ts';
import { power } from '../power/power.ts';
import type { HostStep } from '../step.ts';

export function poweringOffBeforeDelete(memory: HostMemory, now: number): HostStep {
  const { node, seen, finished } = memory;
  const done = finished?.name === 'power' || seen.spec.disablePowerOff === true || node === null;
  if (done) return enter(memory, 'deleting', now, { poweredOn: false, errorCount: 0 });
  return power(memory, { on: false, mode: 'hard', force: true });
}

export function deleting(memory: HostMemory): HostStep {
  const { finished, seen, status } = memory;
  if (finished?.name === 'release') return { kind: 'gone' };
  // A cancelled registration may have created a node whose ID was not returned: Ironic is then asked by name.
  const mayHaveNode = status.provisioning.ID !== '' || status.operationHistory.register?.start != null;
  if (finished?.name !== 'delete' && mayHaveNode) {
    return { kind: 'run', operation: { name: 'delete', order: nodeRef(memory) } };
  }
  const { bmc, preprovisioningNetworkDataName } = seen.spec;
  return {
    kind: 'act',
    action: {
      name: 'release',
      order: {
        host: hostRef(memory),
        ...(bmc !== undefined && { credentialsName: bmc.credentialsName }),
        ...(preprovisioningNetworkDataName !== undefined && { preprovisioningNetworkDataName }),
      },
    },
  };
}
