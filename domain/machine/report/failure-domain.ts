import { OTHER_FAILURE_DOMAIN } from '../../entity/conditions.ts';
import type { Condition } from '../../entity/view.ts';
import { ownsHost } from '../guards.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { HOST_LABELS } from '../names.ts';

/** Which failure domain was wanted, and which was taken; undefined when they are the same, or none was wanted. */
function otherDomain(memory: MachineMemory): string | undefined {
  const { owner, host, deletionTimestamp } = memory.seen;
  const wanted = owner?.failureDomain ?? '';
  if (wanted === '' || host === undefined || deletionTimestamp !== undefined || !ownsHost(memory)) return undefined;
  const taken = host.labels[HOST_LABELS.failureDomain] ?? '';
  if (taken === wanted) return undefined;
  const why = memory.viaReuse ? 'it is reserved for this machine' : `no host of ${wanted} was free`;
  const of = taken === '' ? 'no failure domain' : `failure domain ${taken}`;
  return `failure domain ${wanted} was wanted, host ${host.name} of ${of} was taken: ${why}`;
}

/** The condition that exists while the machine is on a host of another failure domain. */
export function inOtherDomain(memory: MachineMemory): readonly Condition[] {
  const message = otherDomain(memory);
  return message === undefined
    ? []
    : [{ type: OTHER_FAILURE_DOMAIN, status: 'True', reason: 'NoHostInDomain', message }];
}

/** Adds the Event for a host that the machine has just got. */
export function withDomainTold(memory: MachineMemory): MachineMemory {
  const message = otherDomain(memory);
  const { host } = memory.seen;
  if (message === undefined || host === undefined) return memory;
  const event = { id: `failure-domain/${host.uid}`, reason: OTHER_FAILURE_DOMAIN, message, warning: true } as const;
  return { ...memory, events: [event] };
}
