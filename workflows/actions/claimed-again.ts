import { patched } from '@temporalio/workflow';
import { lacksClaim } from '../../domain/machine/associate/associate.ts';
import { type MachineMemory, withRecord } from '../../domain/machine/memory/memory.ts';
import { PATCHES } from '../patches.ts';

/** For the next step of a run that began before a machine claimed the host whose consumer it is. */
export function withClaimedHost(memory: MachineMemory): MachineMemory {
  const { host } = memory.seen;
  if (host === undefined || !lacksClaim(memory) || patched(PATCHES.claimedAgain)) return memory;
  const { name, resourceVersion } = host;
  return { ...withRecord(memory, { host: memory.record.host || name }), marked: resourceVersion };
}
