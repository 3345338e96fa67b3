import { byName } from '../entity/by-name.ts';
import type { Entity, RelatedObject } from '../entity/entity.ts';
import type { Listed } from '../entity/listed.ts';
import { joined, type Markdown, markdown } from '../entity/markdown.ts';
import { absorb, begin, begunAgain, type MachineApiMemory, ownsHost } from './memory.ts';
import { nextStep } from './next-step.ts';
import { record } from './record.ts';
import { phaseOf, show } from './show.ts';
import { MACHINE_API_SHAPE, type MachineApiSnapshot } from './snapshot.ts';
import { machineApiSteeringDetails } from './steering.ts';
import type { MachineApiAction, MachineApiAnswer } from './step.ts';

const summaryOf = byName<MachineApiAction, string>({
  associate: ({ order }) => (order.host === undefined ? 'Choose a host' : `Claim host ${order.host.name} again`),
  'look at last host': ({ order }) => `Look whether host ${order.host.name} is still that of the Machine`,
  'fill host': ({ order }) => `Write the desired image to host ${order.host.name}`,
  'link node': ({ order }) => `Write the providerID to Node ${order.node.name}`,
  'deprovision host': ({ order }) => `Deprovision host ${order.host.name}`,
  'release host': ({ order }) => `Release host ${order.host.name}`,
  'delete node': ({ order }) => `Delete Node ${order.node.name}`,
  'keep host off': ({ order }) => `Keep host ${order.host.name} off for remediation`,
  'take node away': ({ order }) => `Delete Node ${order.node.name}, so that its Pods move`,
  'let host on': ({ order }) => `Let host ${order.host.name} be powered on`,
  'return node': ({ order }) => `End the remediation, and return labels to Node ${order.node?.name ?? ''}`,
  'delete machine': ({ order }) => `Delete Machine ${order.machine.name}, whose Node did not come back`,
});

function detailsOf(memory: MachineApiMemory, waitingFor: string): Markdown {
  const { seen } = memory;
  const where = ownsHost(memory) ? markdown`on host **${seen.host?.name ?? ''}**` : markdown`without a host`;
  const head = markdown`**Machine ${seen.name}** of ${seen.api} in ${seen.namespace}, `;
  return joined([head, where, markdown`: ${phaseOf(memory)}\n\n${waitingFor}`], '');
}

/** The rules of a Machine of the Machine API. All actions are short, so none is cancelled. */
export const machineApiEntity: Entity<MachineApiSnapshot, MachineApiMemory, MachineApiAction, MachineApiAnswer> = {
  snapshot: MACHINE_API_SHAPE,
  begin,
  begunAgain,
  absorb,
  nextStep,
  record,
  show,
  listed,
  related,
  summaryOf,
  detailsOf,
  messagesOf: machineApiSteeringDetails,
};

/** What lists of runs show of a Machine: its phase, in lower case. */
export function listed(memory: MachineApiMemory): Listed {
  const { trouble, noHost } = memory;
  const state = phaseOf(memory).toLowerCase();
  if (trouble !== null) return { state, error: trouble.action, waitsFor: 'retry' };
  if (state !== 'provisioning') return { state };
  return { state, ...(noHost !== null && { waitsFor: 'host' }), ...(ownsHost(memory) && { waitsFor: 'hardware' }) };
}

export function related(memory: MachineApiMemory): readonly RelatedObject[] {
  const { host } = memory.seen;
  return host === undefined || !ownsHost(memory)
    ? []
    : [{ kind: 'BareMetalHost', namespace: host.namespace, name: host.name }];
}
