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
import { ownConsumer } from '../../../domain/host/own-consumer.ts';
import { byNamespace } from '../../../kube/by-name.ts';
import { isOvertaken, type Kube } from '../../../kube/client.ts';
import { type FollowedKind, isSameKind, KINDS, MACHINE_API_MACHINES } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { metal3MachinesByHost, readMetal3Machine } from '../../../kube/objects/metal3machine.ts';
import { hostPath } from '../../../kube/paths.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { Entry, Store, Stores } from '../../../kube/store.ts';
import type { Unwritten } from '../../binding.ts';
import { consumingMachine, hostsConsumedBy } from '../consumers.ts';
import { hostNamedIn, machinesByHostIn } from '../machine-api/links.ts';
import { isPausedOrMoved } from './resource.ts';

export interface InheritDeps {
  readonly kube: Pick<Kube, 'patch'>;
  readonly stores: Pick<Store, 'get' | 'having' | 'isComplete'>;
}

type Named = Pick<Entry, 'namespace' | 'name'>;

/**
 * Copies to a BareMetalHost what its machine, its Cluster and its Namespace say about approvals. An activity that erases
 * the host reads the copy together with the spec, and the copy outlives Temporal. `written`: the watch will deliver the
 * newer object. Where a policy forbids the copy, the workflow gets it with the snapshot, so that it holds its steps
 * nevertheless.
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
  annotations: { [APPROVAL_ANNOTATIONS.inherited]: inherited },
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
  const machines = machinesOf(entry, stores);
  // Machines of the Machine API belong to no Cluster.
  const metal3Machines = machines.filter(({ kind }) => kind === KINDS.metal3Machine);
  return [
    // Machines that are not followed are not in the stores, so they say nothing.
    ...machines.flatMap((machine) => by(machine.kind, machine)),
    ...clustersOf(entry, metal3Machines, stores).flatMap((name) =>
      by(KINDS.cluster, { namespace: entry.namespace, name }),
    ),
    ...by(KINDS.namespace, { namespace: '', name: entry.namespace }),
  ];
}

/**
 * The machine that is the consumer of the host; without one, those that name the host as theirs: whoever takes the
 * consumer off a host, or recreates the host without one, does not end what its machine and Cluster ask for.
 */
function machinesOf(entry: Entry, stores: InheritDeps['stores']): readonly (Named & { readonly kind: FollowedKind })[] {
  const consumer = consumingMachine(entry);
  if (consumer !== undefined) return [consumer];
  return MACHINES.flatMap((kind) =>
    [...stores.having(kind === KINDS.metal3Machine ? metal3MachinesByHost : machinesByHostIn(kind), keyOf(entry))]
      .filter(({ namespace }) => namespace === entry.namespace)
      .map(({ namespace, name }) => ({ kind, namespace, name })),
  );
}

const nameOf = ({ kind }: FollowedKind, { namespace, name }: Named): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

/**
 * Names of the Clusters of the Metal3Machines; without one, the Cluster that the host's label names, or for which the
 * host is reserved.
 */
function clustersOf(
  { object, namespace }: Entry,
  machines: readonly Named[],
  stores: Pick<Stores, 'get'>,
): readonly string[] {
  const ofMachines = machines.flatMap((machine) => {
    const found = stores.get(KINDS.metal3Machine, keyOf(machine));
    return (found && readMetadata(found.object).labels[CLUSTER_LABELS.clusterName]) ?? [];
  });
  if (ofMachines.length > 0) return [...new Set(ofMachines)];
  const consumer = ownConsumer(namespace, readHostFacts(object).consumer);
  const reservedFor = consumer?.kind === KINDS.cluster.kind ? consumer.name : undefined;
  return [reservedFor ?? readMetadata(object).labels[CLUSTER_LABELS.clusterName] ?? []].flat();
}

/** `<namespace>/<name>` of the host that a machine names. */
function hostNamedBy(kind: FollowedKind, { namespace, object }: Entry): string | undefined {
  if (kind !== KINDS.metal3Machine) return hostNamedIn(object);
  const { host } = readMetal3Machine(object);
  return host === undefined ? undefined : keyOf({ namespace, name: host });
}

const MACHINES: readonly FollowedKind[] = [KINDS.metal3Machine, ...MACHINE_API_MACHINES];

/**
 * The hosts that may inherit from this object. None for an object without such annotations, now and before the change.
 */
export function* hostsInheriting(kind: FollowedKind, related: Entry, stores: Stores): Iterable<string> {
  if (saidBy('', readMetadata(related.object).annotations) === undefined) return;
  if (MACHINES.some((each) => isSameKind(each, kind))) {
    const { namespace, name } = related;
    for (const host of hostsConsumedBy({ kind, namespace, name }, stores)) yield keyOf(host);
    const named = hostNamedBy(kind, related);
    if (named !== undefined && stores.get(KINDS.host, named)?.namespace === namespace) yield named;
    return;
  }
  const namespace = kind.kind === KINDS.namespace.kind ? related.name : related.namespace;
  for (const host of stores.having(byNamespace(KINDS.host), namespace)) yield keyOf(host);
}
