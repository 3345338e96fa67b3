import type { ObjectRef } from '../../entity/object-ref.ts';
import { isConsumer, isCurrentConsumer } from '../choose-host/host-facts.ts';
import { type MachineMemory, withConditions } from '../memory/memory.ts';
import { attempt, type Complaint, complain, is, legacyIs, legacyIsNot, type Pass, waitPass } from '../memory/pass.ts';
import { HOST_LABELS } from '../names.ts';
import { crossNamespace } from './data.ts';

const failed: Complaint = {
  type: 'AssociateBareMetalHost',
  reason: 'AssociateBareMetalHostFailed',
  prefix: 'failed to associate the Metal3Machine to a BareMetalHost',
  legacy: (message) => legacyIsNot('AssociateBMH', 'Error', 'AssociateBMHFailed', message),
};

/** Requests a host and claims it, or claims the given one. Without a free host, waits until there may be one. */
export function associate(memory: MachineMemory, now: number, host?: ObjectRef): Pass {
  const { seen, noHost } = memory;
  const problem = crossNamespace(memory, 'userData');
  if (problem !== undefined) return waitPass(complain(memory, failed, problem), problem);
  if (noHost !== null && host === undefined) {
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
  return attempt(memory, { name: 'associate', order }, failed, now);
}

/**
 * True when the host names the machine as its consumer and a claim is due nevertheless: the machine does not name its
 * host yet, or the consumer was written by an older release.
 */
function lacksClaim({ seen, record, marked }: MachineMemory): boolean {
  const { host } = seen;
  if (host === undefined || !isConsumer(host.consumer, seen)) return false;
  if (record.host === '') return true;
  const isOutdated = !isCurrentConsumer(host.consumer) || HOST_LABELS.nodeReuse in host.labels;
  return isOutdated && !host.deleting && marked !== host.resourceVersion;
}

/** Looks at the host that the machine had, if that is due: it may still be its consumer. Undefined: it is not due. */
export function lookAtLastHost(memory: MachineMemory, now: number): Pass | undefined {
  const { lastHost, seen } = memory;
  if (lastHost === undefined || seen.host !== undefined) return undefined;
  const { namespace, name } = seen;
  const order = { host: { namespace, name: lastHost }, machine: { namespace, name } };
  return attempt(memory, { name: 'look at last host', order }, failed, now);
}

/** Claims the host of which the machine is the consumer, if that is due. Undecided: it is not due. */
export function claimOwn(memory: MachineMemory, now: number): Pass | MachineMemory {
  const { host } = memory.seen;
  if (host === undefined || !lacksClaim(memory)) return memory;
  const { namespace, name, uid } = host;
  return associate(memory, now, { namespace, name, uid });
}

/** Records that the machine has a host. The reason for the choice is shown only once, when the host is claimed. */
export function associated(memory: MachineMemory): MachineMemory {
  const isSaid = memory.record.claims.AssociateBareMetalHost?.status === 'True';
  const reason = memory.viaReuse ? 'AssociateBareMetalHostViaNodeReuseSuccess' : 'AssociateBareMetalHostSuccess';
  return withConditions(memory, isSaid ? {} : is('AssociateBareMetalHost', reason), legacyIs('AssociateBMH'));
}
