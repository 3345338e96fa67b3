import { deadlineOf, type RemediationMemory } from './memory.ts';
import type { SickHost } from './sick-host.ts';
import type { SickMachine } from './snapshot.ts';
import type { Attempt, RemediationAction, RemediationHostOrder, RemediationNodeOrder } from './step.ts';

type PowerOn = Extract<RemediationAction, { readonly name: 'power on' }>;

interface Sick {
  readonly machine: SickMachine;
  readonly host: SickHost;
}

const nameOf = <T extends { readonly namespace: string; readonly name: string; readonly uid: string }>({
  namespace,
  name,
  uid,
}: T): RemediationHostOrder['host'] => ({ namespace, name, uid });

const machineOf = (machine: SickMachine): RemediationHostOrder['machine'] => ({
  ...nameOf(machine),
  ...(machine.api !== undefined && { api: machine.api }),
});

const attemptOf = ({ seen, record: { retryCount, lastRemediated } }: RemediationMemory): Attempt => ({
  remediation: nameOf(seen),
  retryCount,
  lastRemediated,
});

const hostOrder = (memory: RemediationMemory, { machine, host }: Sick): RemediationHostOrder => ({
  ...attemptOf(memory),
  host: nameOf(host),
  machine: machineOf(machine),
  metal3Machine: machine.metal3Machine,
});

/** undefined: the Machine never had a Node. */
export function nodeOrder(memory: RemediationMemory, sick: Sick): RemediationNodeOrder | undefined {
  const { namespace, cluster, node, api } = sick.machine;
  if (node === undefined || (cluster === '' && api === undefined)) return undefined;
  return { ...hostOrder(memory, sick), cluster: { namespace, name: cluster }, node };
}

export const powerOff = (memory: RemediationMemory, sick: Sick): RemediationAction => ({
  name: 'power off',
  order: hostOrder(memory, sick),
});

export function powerOn({ seen }: RemediationMemory, host: SickHost, keys: readonly string[]): PowerOn {
  const { metal3Machine = '', api } = seen.machine ?? {};
  const order = { remediation: nameOf(seen), host: nameOf(host), metal3Machine, ...(api !== undefined && { api }) };
  return { name: 'power on', order, keys };
}

export function handOver(memory: RemediationMemory, machine: SickMachine, host: SickHost | null): RemediationAction {
  const { retryCount } = memory.record;
  const message =
    host === null
      ? 'its host does not exist any more'
      : `not healthy ${(deadlineOf(memory) - Date.parse(memory.record.lastRemediated)) / 1_000} s after host ` +
        `${host.name} was rebooted, in ${retryCount + 1} ${retryCount === 0 ? 'attempt' : 'attempts'}`;
  const { metal3Machine } = machine;
  const order = {
    ...attemptOf(memory),
    host: host && nameOf(host),
    machine: machineOf(machine),
    metal3Machine,
    message,
  };
  return { name: 'hand over', order };
}
