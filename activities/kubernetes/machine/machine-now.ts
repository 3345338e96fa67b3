import { ApplicationFailure } from '@temporalio/common';
import type { ObjectName } from '../../../domain/machine/memory/snapshot.ts';
import type { HostChange } from '../../../domain/machine/memory/step.ts';
import { MACHINE_FINALIZER } from '../../../domain/machine/names.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { type Named, objectPath } from '../../../kube/paths.ts';
import { STALE } from '../../../workflows/messages.ts';

/** What a change of a host assumes of the machine: it fills the host, or it clears it; undefined for powering on. */
export function assumedBy(change: HostChange): 'has' | 'leaves' | undefined {
  const clears = Object.values(change).includes(null) || change.online === false;
  if (clears) return 'leaves';
  return Object.keys(change).some((field) => field !== 'online') ? 'has' : undefined;
}

/**
 * Fails with type `Stale` unless the Metal3Machine in the API server is as the request assumes: there, not being deleted,
 * and with our finalizer for `has`, so that it can't go without its host; being deleted, or gone, for `leaves`. The
 * request may come from a restored Temporal, a reset run or a forged message.
 */
export async function mustBe(kube: Kube, wish: 'has' | 'leaves', machine: ObjectName): Promise<void> {
  const found = await kube.find(objectPath(KINDS.metal3Machine, machine));
  const problem = wish === 'has' ? whyNotThere(found) : isThere(found) ? 'it is not being deleted' : undefined;
  if (problem === undefined) return;
  const message = `${wish === 'has' ? 'claim or change' : 'release'} a host: Metal3Machine ${machine.name}: ${problem}`;
  throw stale(message);
}

const isThere = (found: unknown): boolean => found !== undefined && readMetadata(found).deletionTimestamp === undefined;

function whyNotThere(found: unknown): string | undefined {
  if (found === undefined) return 'it does not exist';
  if (!isThere(found)) return 'it is being deleted';
  return readMetadata(found).finalizers.includes(MACHINE_FINALIZER) ? undefined : 'it lacks its finalizer';
}

/** A machine has hosts of its own namespace alone; only a forged message names another one. */
export function mustBeNeighbours(host: Named, machine: Named): void {
  if (host.namespace === machine.namespace) return;
  const of = ({ namespace, name }: Named): string => `${namespace}/${name}`;
  throw stale(`Metal3Machine ${of(machine)} can't have BareMetalHost ${of(host)} of another namespace`);
}

export const stale = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: STALE, nonRetryable: true, message });
