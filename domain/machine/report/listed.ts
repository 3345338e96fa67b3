import type { RelatedObject } from '../../entity/entity.ts';
import type { Listed, WaitsFor } from '../../entity/listed.ts';
import type { MachineMemory } from '../memory/memory.ts';

/** What lists of runs show of a machine; the states are the phases of Cluster API's Machines, in lower case. */
export function listed(memory: MachineMemory): Listed {
  const { trouble, record } = memory;
  const state = stateOf(memory);
  const error = record.failure?.reason ?? trouble?.action;
  const waitsFor = waitsForOf(memory, state);
  return { state, ...(error !== undefined && { error }), ...(waitsFor !== undefined && { waitsFor }) };
}

function stateOf({ seen, record }: MachineMemory): string {
  if (seen.deletionTimestamp !== undefined) return 'deleting';
  if (record.host === '') return 'pending';
  const isLinked = record.providerID !== '' && record.provisioned && seen.owner?.nodeRef !== undefined;
  return isLinked ? 'running' : 'provisioning';
}

function waitsForOf({ noHost, record, trouble }: MachineMemory, state: string): WaitsFor | undefined {
  if (record.failure !== undefined) return 'person';
  if (trouble !== null) return 'retry';
  if (state === 'pending') return noHost === null ? undefined : 'host';
  return state === 'provisioning' ? 'hardware' : undefined;
}

/** The host of the machine. */
export const related = ({ seen, record }: MachineMemory): readonly RelatedObject[] =>
  record.host === '' ? [] : [{ kind: 'BareMetalHost', namespace: seen.namespace, name: record.host }];
