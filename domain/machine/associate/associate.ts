import { type MachineMemory, withConditions } from '../memory/memory.ts';
import { attempt, type Complaint, complain, is, legacyIs, legacyIsNot, type Pass, waitPass } from '../memory/pass.ts';
import type { ObjectName } from '../memory/snapshot.ts';
import { crossNamespace, withUserData } from './data.ts';

const failed: Complaint = {
  type: 'AssociateBareMetalHost',
  reason: 'AssociateBareMetalHostFailed',
  prefix: 'failed to associate the Metal3Machine to a BareMetalHost',
  legacy: (message) => legacyIsNot('AssociateBMH', 'Error', 'AssociateBMHFailed', message),
};

/** Requests a host and claims it, or claims the given one. Without a free host, waits until there may be one. */
export function associate(memory: MachineMemory, now: number, host?: ObjectName & { readonly uid: string }): Pass {
  const { seen, noHost } = memory;
  const problem = crossNamespace(memory, 'userData');
  if (problem !== undefined) return waitPass(complain(memory, failed, problem), problem);
  if (noHost !== null) {
    const told = complain(memory, failed, `no available host found. ${noHost.reason}`);
    return waitPass(told, `waiting for a host: ${noHost.reason}`);
  }
  const { namespace, name, uid, creationTimestamp, owner, spec } = seen;
  const failureDomain = owner?.failureDomain;
  const order = {
    machine: { namespace, name, uid, creationTimestamp },
    clusterName: owner?.clusterName ?? '',
    criteria: {
      ...(spec.hostSelector && { hostSelector: spec.hostSelector }),
      ...(failureDomain && { failureDomain }),
    },
    owner: {
      ...(owner?.controlPlane && { controlPlane: owner.controlPlane }),
      ...(owner?.machineSet && { machineSet: owner.machineSet }),
    },
    ...(host && { host }),
  };
  return attempt(withUserData(memory), { name: 'associate', order }, failed, now);
}

/** Records that the machine has a host. The reason for the choice is shown only once, when the host is claimed. */
export function associated(memory: MachineMemory): MachineMemory {
  const isSaid = memory.record.claims.AssociateBareMetalHost?.status === 'True';
  const reason = memory.viaReuse ? 'AssociateBareMetalHostViaNodeReuseSuccess' : 'AssociateBareMetalHostSuccess';
  return withConditions(memory, isSaid ? {} : is('AssociateBareMetalHost', reason), legacyIs('AssociateBMH'));
}
