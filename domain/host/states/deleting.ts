import { hostRef } from '../desired/wishes.ts';
import { nodeRef } from '../guards.ts';
import type { HostMemory } from '../memory/memory.ts';
import { enter } from '../outcome/transition.ts';
import { power } from '../power/power.ts';
import type { HostStep } from '../step.ts';

export function poweringOffBeforeDelete(memory: HostMemory, now: number): HostStep {
  const { node, seen, finished } = memory;
  const isDone = finished?.name === 'power' || seen.spec.disablePowerOff === true || node === null;
  if (!isDone && node.poweredOn !== false) return power(memory, { on: false, mode: 'hard', force: true });
  const next = enter(memory, 'deleting', now, { poweredOn: false, errorCount: 0 });
  return isDone ? next : { ...next, memory: { ...next.memory, isOffAssumed: true } };
}

export function deleting(memory: HostMemory, now: number): HostStep {
  const { finished, seen, status, node, isOffAssumed: onlyIfOff } = memory;
  if (finished?.name === 'release') return { kind: 'gone' };
  if (onlyIfOff && node !== null && node.poweredOn !== false) return enter(memory, 'powering off before delete', now);
  // A cancelled registration may have created a node whose ID was not returned: Ironic is then asked by name.
  const mayHaveNode = status.provisioning.ID !== '' || status.operationHistory.register?.start != null;
  if (finished?.name !== 'delete' && mayHaveNode) {
    const order = { ...nodeRef(memory), ...(onlyIfOff && { onlyIfOff }) };
    return { kind: 'run', operation: { name: 'delete', order } };
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
