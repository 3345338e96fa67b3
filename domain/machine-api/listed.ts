import type { RelatedObject } from '../entity/entity.ts';
import type { Listed } from '../entity/listed.ts';
import { type MachineApiMemory, ownsHost } from './memory.ts';
import { phaseOf } from './show.ts';

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
