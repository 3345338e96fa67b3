import { unlessForbidden } from '../../../activities/kubernetes/refusal.ts';
import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import {
  inheritedAnyway,
  inheritedBy,
  inheritedValue,
  type Said,
  saidBy,
} from '../../../domain/host/approval/policy.ts';
import { isOvertaken, type Kube } from '../../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { hostPath } from '../../../kube/paths.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { Entry, Store, Stores } from '../../../kube/store.ts';
import type { Unwritten } from '../../binding.ts';
import { byNamespace, hostsByConsumer } from '../indexes.ts';
import { isPausedOrMoved } from './resource.ts';

export interface InheritDeps {
  readonly kube: Pick<Kube, 'patch'>;
  readonly stores: Pick<Store, 'get' | 'isComplete'>;
}

type Named = Pick<Entry, 'namespace' | 'name'>;

/**
 * Copies to a BareMetalHost what its Metal3Machine, its Cluster and its Namespace say about approvals. An activity that
 * erases the host reads the copy together with the spec, and the copy outlives Temporal. `written`: the watch will
 * deliver the newer object. Where a policy forbids the copy, the workflow gets it with the snapshot, so that it holds
 * its steps nevertheless.
 */
export async function inheritApprovals(
  entry: Entry,
  { kube, stores }: InheritDeps,
): Promise<'written' | Unwritten | undefined> {
  const { annotations, resourceVersion } = readMetadata(entry.object);
  if (isPausedOrMoved(readObject(entry.object))) return undefined;
  const said = saidByOthers(entry, stores);
  const value = inheritedValue(said);
  if (value === (annotations[APPROVAL_ANNOTATIONS.inherited] ?? null)) return undefined;
  const change = { [APPROVAL_ANNOTATIONS.inherited]: value };
  try {
    const refusal = await unlessForbidden(() =>
      kube.patch(hostPath(entry), { metadata: { resourceVersion, annotations: change } }),
    );
    return refusal === undefined ? 'written' : unwritten(inheritedAnyway(said, annotations), refusal);
  } catch (error) {
    // The object was changed or deleted: the watch will deliver that.
    if (!isOvertaken(error)) throw error;
    return 'written';
  }
}

const unwritten = (inherited: string | null, refusal: string): Unwritten => ({
  annotations: inherited === null ? {} : { [APPROVAL_ANNOTATIONS.inherited]: inherited },
  refusal: `patching the annotation ${APPROVAL_ANNOTATIONS.inherited}: ${refusal}`,
});

function saidByOthers(entry: Entry, stores: InheritDeps['stores']): readonly Said[] {
  const known = inheritedBy(readMetadata(entry.object).annotations);
  const by = (kind: FollowedKind, name: Named | undefined): readonly Said[] => {
    if (name === undefined) return [];
    const of = nameOf(kind, name);
    const found = stores.get(kind, keyOf(name));
    // The object is not listed yet: its previous annotation stays.
    if (found === undefined && !stores.isComplete) return known.filter((said) => said.of === of);
    const said = found && saidBy(of, readMetadata(found.object).annotations);
    return said === undefined ? [] : [said];
  };
  const machine = machineOf(entry);
  return [
    ...by(KINDS.metal3Machine, machine),
    ...by(KINDS.cluster, clusterOf(entry, machine, stores)),
    ...by(KINDS.namespace, { namespace: '', name: entry.namespace }),
  ];
}

const nameOf = ({ kind }: FollowedKind, { namespace, name }: Named): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

function machineOf({ object, namespace }: Entry): Named | undefined {
  const { consumer } = readHostFacts(object);
  if (consumer?.kind !== KINDS.metal3Machine.kind || consumer.name === undefined) return undefined;
  return { namespace: consumer.namespace ?? namespace, name: consumer.name };
}

/**
 * The Cluster of the machine; without a machine, the Cluster that the host's label names, or for which the host is
 * reserved.
 */
function clusterOf(
  { object, namespace }: Entry,
  machine: Named | undefined,
  stores: Pick<Stores, 'get'>,
): Named | undefined {
  const found = machine && stores.get(KINDS.metal3Machine, keyOf(machine));
  const ofMachine = found && readMetadata(found.object).labels[CLUSTER_LABELS.clusterName];
  const { consumer } = readHostFacts(object);
  const reservedFor = consumer?.kind === KINDS.cluster.kind ? consumer.name : undefined;
  const name = ofMachine ?? reservedFor ?? readMetadata(object).labels[CLUSTER_LABELS.clusterName];
  return name === undefined ? undefined : { namespace: machine?.namespace ?? namespace, name };
}

/**
 * The hosts that may inherit from this object. None for an object without such annotations, now and before the change.
 */
export function* hostsInheriting(kind: FollowedKind, related: Entry, stores: Stores): Iterable<string> {
  if (saidBy('', readMetadata(related.object).annotations) === undefined) return;
  if (kind.kind === KINDS.metal3Machine.kind) {
    for (const host of stores.having(hostsByConsumer, keyOf(related))) yield keyOf(host);
    return;
  }
  const namespace = kind.kind === KINDS.namespace.kind ? related.name : related.namespace;
  for (const host of stores.having(byNamespace(KINDS.host), namespace)) yield keyOf(host);
}
