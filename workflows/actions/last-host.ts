import { patched } from '@temporalio/workflow';
import { type WithLastHost, withoutLastHost } from '../../domain/machine/memory/last-host.ts';
import { PATCHES } from '../patches.ts';

/** The memory with which a machine decides: runs from before the patch `lastHosts` do not look at their last host. */
export const withLookAtLastHost = <Memory extends WithLastHost>(memory: Memory): Memory =>
  memory.lastHost === undefined || patched(PATCHES.lastHosts) ? memory : withoutLastHost(memory);
