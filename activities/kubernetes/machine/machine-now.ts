import { ApplicationFailure } from '@temporalio/common';
import type { ObjectName } from '../../../domain/machine/memory/snapshot.ts';
import type { HostChange } from '../../../domain/machine/memory/step.ts';
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
 * Fails with type `Stale` unless the Metal3Machine in the API server is as the request assumes: there and not being
 * deleted for `has`; being deleted, or gone, for `leaves`. The request may come from a restored Temporal, a reset run or
 * a forged message.
 */
export async function mustBe(kube: Kube, wish: 'has' | 'leaves', machine: ObjectName): Promise<void> {
  const found = await kube.find(objectPath(KINDS.metal3Machine, machine));
  const isThere = found !== undefined && readMetadata(found).deletionTimestamp === undefined;
  if (isThere === (wish === 'has')) return;
  const problem = isThere
    ? 'it is not being deleted'
    : found === undefined
      ? 'it does not exist'
      : 'it is being deleted';
  const message = `${wish === 'has' ? 'claim or change' : 'release'} a host: Metal3Machine ${machine.name}: ${problem}`;
  throw stale(message);
}

/** A machine has hosts of its own namespace alone; only a forged message names another one. */
export function mustBeNeighbours(host: Named, machine: Named): void {
  if (host.namespace === machine.namespace) return;
  const of = ({ namespace, name }: Named): string => `${namespace}/${name}`;
  throw stale(`Metal3Machine ${of(machine)} can't have BareMetalHost ${of(host)} of another namespace`);
}

export const stale = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: STALE, nonRetryable: true, message });
