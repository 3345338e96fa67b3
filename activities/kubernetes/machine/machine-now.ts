import { ApplicationFailure } from '@temporalio/common';
import { MACHINE_FINALIZER } from '../../../api/metal3machine/kind.ts';
import type { Claimant } from '../../../domain/machine/choose-host/host-facts.ts';
import { type Authority, isLeftAlone, whyLeftAlone } from '../../../domain/machine-api/authority.ts';
import { CONTROLLER_FINALIZERS, OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import type { Kube } from '../../../kube/client.ts';
import { type FollowedKind, KINDS, kindInApi, MACHINE_API_MACHINES } from '../../../kube/kinds.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { type Named, objectPath } from '../../../kube/paths.ts';
import { STALE } from '../../../workflows/messages.ts';

interface ClaimingKind {
  readonly kind: FollowedKind;
  /** Without it, an object could be deleted without releasing its host. */
  readonly finalizer: string;
}

function kindOf({ api, namespace, name }: Claimant): ClaimingKind {
  if (api === undefined) return { kind: KINDS.metal3Machine, finalizer: MACHINE_FINALIZER };
  const kind = MACHINE_API_MACHINES.find(({ apiVersion }) => apiVersion === api);
  const finalizer = CONTROLLER_FINALIZERS[api];
  if (kind === undefined || finalizer === undefined)
    throw stale(`no Machine of ${api} can have a host: ${namespace}/${name}`);
  return { kind, finalizer };
}

export const claimantPath = (machine: Claimant): string => objectPath(kindOf(machine).kind, machine);

/** The object that has a host, or wants one; undefined when it does not exist. */
export const findClaimant = (kube: Kube, machine: Claimant): Promise<unknown> => kube.find(claimantPath(machine));

/**
 * Fails with type `Stale` unless the machine in the API server is as the request assumes. `has`: it exists, is not
 * being deleted, and has its finalizer, so that it can't be deleted without releasing its host. `leaves`: it is being
 * deleted, or gone. The request may come from a restored Temporal, a reset run or a forged message. Resolves with the
 * object; undefined: it is gone.
 */
export async function mustBe(
  kube: Kube,
  wish: 'has' | 'leaves',
  machine: Claimant,
  doing = wish === 'has' ? 'claim or change a host' : 'release a host or data',
): Promise<unknown> {
  const { kind, finalizer } = kindOf(machine);
  const found = await kube.find(objectPath(kind, machine));
  const problem =
    whyNotOurs(found, machine) ??
    (wish === 'has' ? whyNotThere(found, finalizer) : isThere(found) ? 'it is not being deleted' : undefined);
  if (problem === undefined) return found;
  throw stale(`${doing}: ${kindInApi(kind)} ${machine.name}: ${problem}`);
}

/** How the machine is called in messages. */
export const wordsFor = (machine: Claimant): string => `${kindInApi(kindOf(machine).kind)} ${machine.name}`;

const isThere = (found: unknown): boolean => found !== undefined && readMetadata(found).deletionTimestamp === undefined;

/** Why a Machine is not ours now: its authority may have changed since the request was made. */
export function whyNotOurs(
  found: unknown,
  { api }: Pick<Claimant, 'api'>,
  words: (authority: Authority | undefined) => string = whyLeftAlone,
): string | undefined {
  const authority = found === undefined || api !== OPENSHIFT_API ? undefined : readMachineApi(found).authority;
  return isLeftAlone(authority) ? words(authority) : undefined;
}

function whyNotThere(found: unknown, finalizer: string): string | undefined {
  if (found === undefined) return 'it does not exist';
  if (!isThere(found)) return 'it is being deleted';
  return readMetadata(found).finalizers.includes(finalizer) ? undefined : 'it lacks its finalizer';
}

/** A machine has hosts of its own namespace alone; only a forged message names another one. */
export function mustBeNeighbours(host: Named, machine: Named): void {
  if (host.namespace === machine.namespace) return;
  const of = ({ namespace, name }: Named): string => `${namespace}/${name}`;
  throw stale(`Metal3Machine ${of(machine)} can't have BareMetalHost ${of(host)} of another namespace`);
}

export const stale = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: STALE, nonRetryable: true, message });
