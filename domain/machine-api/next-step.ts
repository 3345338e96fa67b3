import { defined } from '../defined.ts';
import type { Moment } from '../entity/entity.ts';
import { wait } from '../entity/retry.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import type { HostChange } from '../machine/memory/step.ts';
import { isLeftAlone, whyLeftAlone } from './authority.ts';
import { deletion } from './deletion.ts';
import { foreignHost, nameOf, orderOf, stateOf } from './host-order.ts';
import { errorOf, instanceOf, isOnlyReleased } from './instance.ts';
import { type MachineApiMemory, machineOf, ownsHost } from './memory.ts';
import { linkingNode } from './node-link.ts';
import { isInvalid } from './provider-spec.ts';
import { lettingHostOn, remediating } from './remediation.ts';
import { isRetryAsked, retryNow } from './steering.ts';
import type { MachineApiStep } from './step.ts';
import { attempt } from './waits.ts';

/**
 * Exists, Create, Update and Delete of the Machine API's contract: gets a host, has it deployed, links it to its Node.
 */
export function nextStep(memory: MachineApiMemory, moment: Moment): MachineApiStep {
  if (isRetryAsked(memory)) return { kind: 'note', memory: retryNow(memory) };
  const { seen } = memory;
  if (isLeftAlone(seen.authority)) return lettingHostOn(memory, moment) ?? wait(whyLeftAlone(seen.authority));
  if (memory.lastHost !== undefined && seen.host === undefined) return lookingAt(memory, memory.lastHost, moment);
  if (seen.deletionTimestamp !== undefined) return deletion(memory, moment);
  if (!seen.isAdopted && !seen.settings.isController) return wait('waiting for the machine controller to take it up');
  // Before anything is done to a host, the finalizer must be set, so that the Machine cannot disappear without
  // releasing the host.
  if (!seen.hasFinalizer && moment.shown?.finalizer !== true) return { kind: 'show' };
  const { host } = seen;
  if (host !== undefined && isOnlyReleased(host)) return choosing(memory, moment, host);
  const error = errorOf(memory);
  if (error !== undefined) return wait(error.message);
  const instance = instanceOf(memory);
  return instance === undefined ? creating(memory, moment) : running(memory, instance, moment);
}

function lookingAt(memory: MachineApiMemory, name: string, moment: Moment): MachineApiStep {
  const machine = machineOf(memory.seen);
  const order = { host: { namespace: machine.namespace, name }, machine };
  return attempt(memory, { name: 'look at last host', order }, moment);
}

function creating(memory: MachineApiMemory, moment: Moment): MachineApiStep {
  const { host } = memory.seen;
  if (host === undefined) return choosing(memory, moment);
  if (!ownsHost(memory)) return claiming(memory, host, moment);
  const change = wantedChange(memory, host);
  if (Object.keys(change).length > 0) {
    return attempt(memory, { name: 'fill host', order: { ...orderOf(memory, host), change } }, moment);
  }
  return wait(`waiting for host ${host.name} to be provisioned (${stateOf(host)})`);
}

/** Any suitable host, or exactly this one. */
function choosing(memory: MachineApiMemory, moment: Moment, host?: HostFacts): MachineApiStep {
  const { seen, noHost } = memory;
  if (noHost !== null && host === undefined) return wait(`waiting for a host: ${noHost.reason}`);
  const { uid, creationTimestamp, desired } = seen;
  const selector = isInvalid(desired) ? undefined : desired.hostSelector;
  const order = {
    machine: { ...machineOf(seen), uid, creationTimestamp },
    clusterName: '',
    criteria: selector === undefined ? {} : { hostSelector: selector },
    owner: {},
    ...(host && { host: nameOf(host) }),
  };
  return attempt(memory, { name: 'associate', order }, moment);
}

/**
 * A host that the Machine names and that has no consumer is claimed again. A host with another consumer is left alone.
 */
function claiming(memory: MachineApiMemory, host: HostFacts, moment: Moment): MachineApiStep {
  const { consumer } = host;
  if (consumer === undefined && !host.deleting) return choosing(memory, moment, host);
  return wait(foreignHost(host));
}

/** An existing image is never changed. */
function wantedChange({ seen: { desired } }: MachineApiMemory, host: HostFacts): HostChange {
  if (host.hasImage || host.hasCustomDeploy || isInvalid(desired)) return {};
  const { image, customDeploy, userData } = desired;
  return {
    ...defined({ image, customDeploy, userData }),
    ...(!host.online && { online: true }),
  };
}

function running(memory: MachineApiMemory, host: HostFacts, moment: Moment): MachineApiStep {
  const { node } = memory.seen;
  const remediation = remediating(memory, host, moment);
  if (remediation !== undefined) return remediation;
  if (node === undefined) return wait(`waiting for the Node of host ${host.name}`);
  return linkingNode(memory, node, host, moment) ?? wait(`runs as Node ${node.name} on host ${host.name}`);
}
