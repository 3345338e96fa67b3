import { type FollowedKind, KINDS, MACHINE_API_MACHINES } from '../kube/kinds.ts';
import { readMachine } from '../kube/objects/machine.ts';
import { ownerOf, readMetadata } from '../kube/objects/metadata.ts';
import type { Named } from '../kube/paths.ts';
import type { Reading } from './reading.ts';

/** A machine that can have a host: a Metal3Machine, or a Machine of the Machine API. */
export interface CalledMachine {
  readonly kind: FollowedKind;
  readonly object: unknown;
}

/**
 * The Metal3Machine of that name, or that of the Machine of that name; else the Machine of the Machine API. undefined:
 * there is none, or one that comes first could not be read, which `reading.unread` says.
 */
export async function machineCalled(reading: Reading, name: Named): Promise<CalledMachine | undefined> {
  const { refusals } = reading;
  const lookups = [
    { kind: KINDS.metal3Machine, find: () => reading.findInstalled(KINDS.metal3Machine, name) },
    { kind: KINDS.metal3Machine, find: () => behindMachine(reading, name) },
    ...MACHINE_API_MACHINES.map((kind) => ({ kind, find: () => reading.findInstalled(kind, name) })),
  ];
  for (const { kind, find } of lookups) {
    // eslint-disable-next-line no-await-in-loop -- the next one is asked for only when there is none before it
    const object = await find();
    if (object !== undefined) return { kind, object };
    if (reading.refusals > refusals) return undefined;
  }
  return undefined;
}

async function behindMachine(reading: Reading, name: Named): Promise<unknown> {
  const machine = await reading.findInstalled(KINDS.machine, name);
  const infrastructure = machine === undefined ? '' : readMachine(machine).infrastructure;
  if (infrastructure === '') return undefined;
  return reading.find(KINDS.metal3Machine, { namespace: name.namespace, name: infrastructure });
}

/** The Machine of Cluster API that owns the Metal3Machine. */
export async function machineAbove(reading: Pick<Reading, 'find'>, metal3Machine: unknown): Promise<unknown> {
  const metadata = readMetadata(metal3Machine);
  const owner = ownerOf(metadata, KINDS.machine);
  return owner && reading.find(KINDS.machine, { namespace: metadata.namespace, name: owner.name });
}
