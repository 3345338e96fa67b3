import { hasCome } from '../clock.ts';
import type { Moment } from '../entity/entity.ts';
import { wait } from '../entity/retry.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { isLeftAlone } from './authority.ts';
import { orderOf } from './host-order.ts';
import { type MachineApiMemory, machineOf, ownsHost } from './memory.ts';
import { nodeOrder } from './node-link.ts';
import type { RemediationSeen } from './snapshot.ts';
import type { MachineApiAction, MachineApiStep } from './step.ts';
import { attempt } from './waits.ts';

/** How long the Node may take to come back, when no MachineHealthCheck says otherwise. In ms. */
const STARTUP_TIMEOUT_MS = 20 * 60_000;
/** The longest time for that, whatever a MachineHealthCheck says. A deadline that is further away is of a wrong clock. */
export const LONGEST_STARTUP_MS = 24 * 60 * 60_000;

/**
 * Powers the host off, deletes the Node so that its Pods move, powers the host on, and gives the new Node what the old
 * one had. The state is in annotations of the Machine and the host, as in OpenShift's actuator. undefined: nothing to
 * do.
 */
export function remediating(memory: MachineApiMemory, host: HostFacts, moment: Moment): MachineApiStep | undefined {
  const { remediation } = memory.seen;
  if (remediation?.isRequested && !remediation.isPoweredOff) return poweringOff(memory, host, moment);
  // Also when the remediation is no longer requested: a host is never left off.
  if (host.keptOff) return attempt(memory, poweringOn(memory, host, moment), moment);
  return remediation && awaitingNode(memory, host, remediation, moment);
}

function poweringOff(memory: MachineApiMemory, host: HostFacts, moment: Moment): MachineApiStep {
  const { node } = memory.seen;
  if (!host.keptOff) return attempt(memory, { name: 'keep host off', order: orderOf(memory, host) }, moment);
  if (host.poweredOn) return wait(`remediation: waiting until host ${host.name} is powered off`);
  if (node === undefined) return attempt(memory, poweringOn(memory, host, moment), moment);
  if (memory.nodeDeleted === node.uid) return wait(`remediation: waiting until Node ${node.name} is deleted`);
  const order = { ...nodeOrder(memory, node), host: orderOf(memory, host).host };
  return attempt(memory, { name: 'take node away', order }, moment);
}

/**
 * A Machine that is being deleted or left alone may wait long for others: its host is powered on before. undefined: the
 * Machine does not keep it off.
 */
export function lettingHostOn(memory: MachineApiMemory, moment: Moment): MachineApiStep | undefined {
  const { host } = memory.seen;
  return host?.keptOff && ownsHost(memory) ? attempt(memory, poweringOn(memory, host, moment), moment) : undefined;
}

/** Removes the annotation that keeps the host off. The Machine is marked before that, if its remediation goes on. */
function poweringOn(memory: MachineApiMemory, host: HostFacts, { now }: Pick<Moment, 'now'>): MachineApiAction {
  const { remediation, deletionTimestamp, uid, authority } = memory.seen;
  const isOver = deletionTimestamp !== undefined || isLeftAlone(authority);
  const goesOn = remediation?.isRequested === true && !isOver;
  const deadline =
    remediation?.deadline ||
    timeAt(now + Math.min(remediation?.startupTimeoutMs ?? STARTUP_TIMEOUT_MS, LONGEST_STARTUP_MS));
  return { name: 'let host on', order: { ...orderOf(memory, host), uid, ...(goesOn && { deadline }) } };
}

const timeAt = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

function awaitingNode(
  memory: MachineApiMemory,
  host: HostFacts,
  { isRequested, hasBackup, mayReplace, deadline }: RemediationSeen,
  moment: Moment,
): MachineApiStep {
  const { seen } = memory;
  const { node, uid } = seen;
  const machine = { ...machineOf(seen), uid };
  // A remediation is also over when it is no longer requested and there is nothing to give back to the Node.
  if (node !== undefined || !(isRequested || hasBackup)) {
    const order = { machine, node: node === undefined ? null : nodeOrder(memory, node).node };
    return attempt(memory, { name: 'return node', order }, moment);
  }
  const end = Date.parse(deadline);
  const replaces = isRequested && mayReplace && !host.externallyProvisioned && !Number.isNaN(end);
  if (replaces && hasCome(end, moment.now, LONGEST_STARTUP_MS))
    return attempt(memory, { name: 'delete machine', order: { machine } }, moment);
  return wait(`remediation: waiting until the Node of host ${host.name} is back`, replaces ? end : undefined);
}
