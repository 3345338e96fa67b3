import { type FollowedKind, isSameKind, KINDS } from '../../kube/kinds.ts';
import { claimOfAddress } from '../../kube/objects/addresses.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { dataByClaim, dataByCluster, dataBySecret, dataByTemplateName } from '../../kube/objects/metal3data.ts';
import { dataClaimsByMachine } from '../../kube/objects/metal3dataclaim.ts';
import { metal3MachinesByHost, metal3MachinesByOwner } from '../../kube/objects/metal3machine.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../kube/store.ts';

type Concerned = (entry: Entry, stores: Stores) => Iterable<string>;

/** Keys of the Metal3Data that depend on an object. */
export function dataConcerned(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const found = CONCERNED.find(([each]) => isSameKind(each, kind));
  return found === undefined ? [] : found[1](entry, stores);
}

const having = (index: Index): Concerned =>
  function* (entry, stores) {
    for (const data of stores.having(index, keyOf(entry))) yield keyOf(data);
  };

/** The Metal3Data of the data claims that this Metal3Machine owns. */
function* ofMetal3Machine(machine: Entry, stores: Stores): Iterable<string> {
  for (const claim of stores.having(dataClaimsByMachine, keyOf(machine))) yield* having(dataByClaim)(claim, stores);
}

const ofMetal3Machines = (index: Index): Concerned =>
  function* (entry, stores) {
    for (const machine of stores.having(index, keyOf(entry))) yield* ofMetal3Machine(machine, stores);
  };

/**
 * The claim's owner, and the Metal3Data that waits for the deletion of a claim of this name: the name begins with that
 * of the Metal3Data.
 */
function* ofClaim({ namespace, name, object }: Entry, stores: Stores): Iterable<string> {
  const owner = ownerOf(readMetadata(object), KINDS.data)?.name;
  if (owner !== undefined) yield keyOf({ namespace, name: owner });
  for (let end = name.indexOf('-'); end >= 0; end = name.indexOf('-', end + 1)) {
    const key = keyOf({ namespace, name: name.slice(0, end) });
    if (name.slice(0, end) !== owner && stores.get(KINDS.data, key) !== undefined) yield key;
  }
}

const ofAddress =
  (kind: FollowedKind): Concerned =>
  ({ namespace, object }, stores) => {
    const name = claimOfAddress(object);
    const claim = name === undefined ? undefined : stores.get(kind, keyOf({ namespace, name }));
    return claim === undefined ? [] : ofClaim(claim, stores);
  };

const CONCERNED: readonly (readonly [FollowedKind, Concerned])[] = [
  [KINDS.dataTemplate, having(dataByTemplateName)],
  [KINDS.cluster, having(dataByCluster)],
  [KINDS.dataClaim, having(dataByClaim)],
  [KINDS.secret, having(dataBySecret)],
  [KINDS.metal3Machine, ofMetal3Machine],
  [KINDS.machine, ofMetal3Machines(metal3MachinesByOwner)],
  [KINDS.host, ofMetal3Machines(metal3MachinesByHost)],
  [KINDS.ipClaim, ofClaim],
  [KINDS.ipAddressClaim, ofClaim],
  [KINDS.ipAddress, ofAddress(KINDS.ipClaim)],
  [KINDS.clusterIpAddress, ofAddress(KINDS.ipAddressClaim)],
];
