import type { RemediationMemory } from '../memory.ts';
import { OUT_OF_SERVICE, powerOffKey } from '../names.ts';

/** What the remediation has done; of attempts, the current one. */
export function doneInWords(memory: RemediationMemory): readonly string[] {
  const { phase } = memory.record;
  if (phase === undefined) return ['nothing yet'];
  switch (phase) {
    case 'Running':
      return [begun(memory), ...keptOff(memory), ...ofNode(memory)];
    case 'Waiting':
      return [begun(memory), ...poweredOff(memory), ...ofNode(memory)];
    case 'Deleting machine':
      return replaced(memory);
    case 'Failed':
      return ['the remediation has ended, because spec.online of the host was false'];
  }
}

const begun = ({ record }: RemediationMemory): string => `the attempt began at ${record.lastRemediated}`;

const keptOff = ({ seen: { uid, host } }: RemediationMemory): readonly string[] =>
  host?.heldBy.includes(powerOffKey(uid))
    ? [`host ${host.name} is kept off by the annotation ${powerOffKey(uid)}`]
    : [];

function poweredOff(memory: RemediationMemory): readonly string[] {
  const { host } = memory.seen;
  if (!host) return [];
  const kept = keptOff(memory);
  const letOn = `the annotation that kept host ${host.name} off was removed`;
  return [`host ${host.name} was powered off`, ...(kept.length > 0 ? kept : [letOn])];
}

function ofNode({ seen, node, returned }: RemediationMemory): readonly string[] {
  const name = seen.machine?.node;
  if (name === undefined) return [];
  if (returned) return [`labels, annotations and taints of Node ${name} are as before`];
  const isStored = `labels and annotations of Node ${name} are stored in this Metal3Remediation`;
  switch (node) {
    case null:
      return seen.hasBackup ? [isStored] : [];
    case 'draining':
      return [`Node ${name} has the taint ${OUT_OF_SERVICE.key}`];
    case 'freed':
      return seen.hasBackup
        ? [isStored, `Node ${name} was deleted`]
        : [`no Pod that is being deleted and no volume is left on Node ${name}`];
    case 'left':
      return [`Node ${name} has the taint ${OUT_OF_SERVICE.key}`, 'its Pods and volumes did not leave it in time'];
  }
}

/** The last attempt is over. */
function replaced({ seen: { machine, host } }: RemediationMemory): readonly string[] {
  const marked = host ? [`host ${host.name} was marked unhealthy`] : [];
  const name = machine ? `Machine ${machine.name}` : 'the Machine';
  const given =
    machine?.api === undefined
      ? `${name} was given to its owner to be replaced`
      : `${name} was deleted, if it has an owner that replaces it`;
  return ['the last attempt is over', ...marked, given];
}
