import { isInUse, traitsOf } from '../../states/table.ts';
import { hostRef } from '../desired/wishes.ts';
import { detachmentAsked, mayDetach } from '../memory/detach-annotation.ts';
import { type HostMemory, isDeleting, withStatus } from '../memory/memory.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

/**
 * A detached host is not changed: its node is deleted from Ironic, its server is left as it is, and the provisioning
 * state stays until it is attached again. Deleting it erases and powers off nothing.
 */
export function detached(memory: HostMemory, now: number): HostStep | undefined {
  const { operationalStatus, provisioning } = memory.status;
  const { state } = provisioning;
  const asked = detachmentAsked(memory.seen);
  if (traitsOf(state).work === 'delete') return undefined;
  if (asked === undefined) {
    return operationalStatus === 'detached' ? { kind: 'note', memory: reattached(memory) } : undefined;
  }
  if (isDeleting(memory)) return enter(errorCleared(memory), 'deleting', now);
  if (operationalStatus === 'detached') return { kind: 'wait', reason: reasonToWait(memory) };
  if (!mayDetach(asked, state)) return undefined;
  if (memory.finished?.name === 'detach') {
    return { kind: 'note', memory: withStatus({ ...memory, finished: null }, { operationalStatus: 'detached' }) };
  }
  const order = { host: hostRef(memory), nodeId: provisioning.ID };
  return { kind: 'run', operation: { name: 'detach', order } };
}

/** Attached again, with the former error; since Ironic does not know it, it is registered again. */
const reattached = (memory: HostMemory): HostMemory =>
  withStatus(
    { ...memory, isReattached: true },
    { operationalStatus: memory.status.errorType === undefined ? 'OK' : 'error' },
  );

/** Ironic knows the node of the host again, and that it is in use. */
export function attached(memory: HostMemory): HostMemory {
  const { isReattached, registration, node, status } = memory;
  const isToBeAdopted = isInUse(status.provisioning.state) && node?.state !== 'active';
  if (!isReattached || registration === null || isToBeAdopted) return memory;
  const { isReattached: _, ...known } = memory;
  return known;
}

const reasonToWait = ({ seen }: HostMemory): string =>
  `${seen.deletionTimestamp === undefined ? '' : 'deletion waits: '}detached by the annotation baremetalhost.metal3.io/detached`;
