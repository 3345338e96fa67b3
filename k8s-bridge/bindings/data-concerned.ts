import { z } from 'zod';
import {
  hostNameOf,
  machineOfClaim,
  metaOf,
  namedFacts,
  ownerOf,
  readClaim,
  readData,
} from '../../activities/kubernetes/data/objects.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf, nameOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../entities/binding.ts';
import type { HostEntry } from '../watch.ts';

/** Keys of the Metal3Data that look at an object. */
export function dataConcerned(kind: FollowedKind | null, object: Entry | HostEntry, stores: Stores): Iterable<string> {
  if (kind === null) return ofHost(object, stores);
  switch (nameOfKind(kind)) {
    case nameOfKind(KINDS.dataTemplate):
      return dataThat(stores, object, ({ spec }) => spec.template?.name === object.name);
    case nameOfKind(KINDS.cluster):
      return dataThat(stores, object, ({ metadata }) => metadata.labels?.[CLUSTER_LABELS.clusterName] === object.name);
    case nameOfKind(KINDS.dataClaim):
      return dataThat(stores, object, ({ spec }) => spec.claim?.name === object.name);
    case nameOfKind(KINDS.metal3Machine):
      return ofMachines(new Set([object.name]), object, stores);
    case nameOfKind(KINDS.machine):
      return ofMachines(machinesOf(object, stores), object, stores);
    case nameOfKind(KINDS.ipClaim):
    case nameOfKind(KINDS.ipAddressClaim):
      return ofClaim(object, stores);
    case nameOfKind(KINDS.ipAddress):
      return ofAddress(object, KINDS.ipClaim, stores);
    case nameOfKind(KINDS.clusterIpAddress):
      return ofAddress(object, KINDS.ipAddressClaim, stores);
    default:
      return [];
  }
}

const nameOfKind = ({ kind, apiVersion }: FollowedKind): string => `${apiVersion}/${kind}`;

type Place = Pick<Entry, 'namespace'>;

function* dataThat(
  stores: Stores,
  { namespace }: Place,
  looksAtIt: (data: ReturnType<typeof readData>) => boolean,
): Iterable<string> {
  for (const entry of stores.values(KINDS.data)) {
    if (entry.namespace === namespace && looksAtIt(readData(entry.object))) yield keyOf(entry);
  }
}

/** Of the claims that these Metal3Machines own. */
function ofMachines(names: ReadonlySet<string>, place: Place, stores: Stores): Iterable<string> {
  if (names.size === 0) return [];
  const claims = new Set<string>();
  for (const entry of stores.values(KINDS.dataClaim)) {
    const owner = entry.namespace === place.namespace ? machineOfClaim(readClaim(entry.object))?.name : undefined;
    if (owner !== undefined && names.has(owner)) claims.add(entry.name);
  }
  return dataThat(stores, place, ({ spec }) => claims.has(spec.claim?.name ?? ''));
}

/** Metal3Machines that a Machine owns. */
function machinesOf({ namespace, name }: Entry | HostEntry, stores: Stores): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of stores.values(KINDS.metal3Machine)) {
    if (entry.namespace === namespace && ownerOf(metaOf(entry.object), KINDS.machine)?.name === name)
      found.add(entry.name);
  }
  return found;
}

function ofHost({ namespace, name }: Entry | HostEntry, stores: Stores): Iterable<string> {
  const found = new Set<string>();
  for (const entry of stores.values(KINDS.metal3Machine)) {
    if (entry.namespace === namespace && hostNameOf(namedFacts(entry.object)) === name) found.add(entry.name);
  }
  return ofMachines(found, { namespace }, stores);
}

/** Its owner, and whoever waits for a claim of that name to go. */
function* ofClaim(object: Entry | HostEntry, stores: Stores): Iterable<string> {
  const owner = ownerOf(metaOf(object.object), KINDS.data)?.name;
  if (owner !== undefined) yield keyOf({ namespace: object.namespace, name: owner });
  yield* dataThat(stores, object, ({ metadata: { name } }) => name !== owner && object.name.startsWith(`${name}-`));
}

/** Whoever has its text in a Secret. */
export const dataOfSecret = (key: string, stores: Stores): Iterable<string> => {
  const { namespace, name } = nameOf(key);
  return dataThat(stores, { namespace }, ({ spec }) => spec.metaData?.name === name || spec.networkData?.name === name);
};

const claimed = z.object({
  spec: z.object({
    claim: z.object({ name: z.string() }).optional(),
    claimRef: z.object({ name: z.string() }).optional(),
  }),
});

function ofAddress({ namespace, object }: Entry | HostEntry, kind: FollowedKind, stores: Stores): Iterable<string> {
  const read = claimed.safeParse(object);
  const name = read.success ? (read.data.spec.claim?.name ?? read.data.spec.claimRef?.name) : undefined;
  const claim = name === undefined ? undefined : stores.get(kind, keyOf({ namespace, name }));
  return claim === undefined ? [] : ofClaim(claim, stores);
}
