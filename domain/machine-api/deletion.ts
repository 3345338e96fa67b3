import type { Moment } from '../entity/entity.ts';
import { wait } from '../entity/retry.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { isBusy } from '../machine/deletion.ts';
import type { HostChange } from '../machine/memory/step.ts';
import { traitsOf } from '../states/table.ts';
import { orderOf, stateOf } from './host-order.ts';
import { type MachineApiMemory, ownsHost } from './memory.ts';
import { nodeOrder } from './node-link.ts';
import { lettingHostOn } from './remediation.ts';
import type { MachineApiStep } from './step.ts';
import { attempt } from './waits.ts';

/** A Machine that is being deleted: its host is deprovisioned and released, then its Node is deleted. */
export function deletion(memory: MachineApiMemory, moment: Moment): MachineApiStep {
  const { hooks, isDrained, node, host } = memory.seen;
  const letting = lettingHostOn(memory, moment);
  if (letting !== undefined) return letting;
  if (hooks.length > 0) return wait(`being deleted: waiting for lifecycle hooks: ${hooks.join(', ')}`);
  if (!isDrained) return wait('being deleted: waiting until its Node is drained');
  if (node?.hasLegacyFinalizer && memory.nodeLinked !== node.uid) {
    const order = { ...nodeOrder(memory, node), providerID: memory.seen.providerID };
    return attempt(memory, { name: 'link node', order }, moment);
  }
  if (host !== undefined && !memory.released && ownsHost(memory)) return releasing(memory, host, moment);
  return leaving(memory, moment);
}

function releasing(memory: MachineApiMemory, host: HostFacts, moment: Moment): MachineApiStep {
  const order = orderOf(memory, host);
  const change = cleared(memory, host);
  if (Object.keys(change).length > 0) {
    return attempt(memory, { name: 'deprovision host', order: { ...order, change } }, moment);
  }
  if (isBusy(host)) return wait(`being deleted: waiting for host ${host.name} to be deprovisioned (${stateOf(host)})`);
  return attempt(memory, { name: 'release host', order: { ...order, clusterName: '' } }, moment);
}

/** What must still be removed from a host before it can be released. */
function cleared({ seen }: MachineApiMemory, host: HostFacts): HostChange {
  const online = host.disablePowerOff || (seen.settings.fastTrack && host.automatedCleaningMode !== 'disabled');
  const isDeployed = host.hasImage || host.hasCustomDeploy || host.userData !== undefined;
  const isOn = host.online && traitsOf(host.state).rest === 'external';
  return {
    ...(host.hasImage && { image: null }),
    ...(host.hasCustomDeploy && { customDeploy: null }),
    ...(host.userData && { userData: null }),
    ...((isDeployed || isOn) && host.online !== online && { online }),
  };
}

/** Deletes the Node of a Machine that has no host any more: otherwise the Node would stay for ever. */
function leaving(memory: MachineApiMemory, moment: Moment): MachineApiStep {
  const { node, nodeRef, settings } = memory.seen;
  const isOurs = settings.isController && nodeRef !== undefined;
  if (!isOurs || node === undefined || memory.nodeDeleted === node.uid) return { kind: 'gone' };
  return attempt(memory, { name: 'delete node', order: nodeOrder(memory, node) }, moment);
}
