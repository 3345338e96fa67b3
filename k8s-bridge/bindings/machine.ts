import { readDataClaim } from '../../activities/kubernetes/machine/data-claims.ts';
import { metal3Machine } from '../../api/metal3machine/schema.ts';
import type { Metal3Machine } from '../../api/metal3machine/types.ts';
import {
  CLUSTER_ANNOTATIONS,
  CLUSTER_GROUP,
  CLUSTER_LABELS,
  groupOf,
  isMovedAway,
  isPausedByAnnotation,
} from '../../domain/cluster-api/names.ts';
import { type HostFacts, isConsumer } from '../../domain/machine/host-facts.ts';
import { labelOrder } from '../../domain/machine/label-sync.ts';
import { annotatedHost, essential } from '../../domain/machine/memory.ts';
import { CLONED_FROM_TEMPLATE, MACHINE_ANNOTATIONS, MACHINE_FINALIZER } from '../../domain/machine/names.ts';
import type {
  CarriedMachineStatus,
  HostNews,
  MachineDataSeen,
  MachineSettings,
  MachineSnapshot,
} from '../../domain/machine/snapshot.ts';
import type { LabelOrder } from '../../domain/machine/step.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Binding, Entry, Stores } from '../entities/binding.ts';
import type { HostEntry } from '../watch.ts';
import { waitedForBy } from './data.ts';
import { identityOf } from './identity.ts';
import {
  clusterOf,
  conditionsIn,
  dataOf,
  factsOf,
  legacyConditionsIn,
  machineOf,
  metadataOf,
  metal3ClusterOf,
  ownerNamed,
  templateOf,
} from './read.ts';

interface MachineBindingOptions {
  readonly settings: MachineSettings;
  /** What a machine without a host was last told of. */
  readonly newsOf: (key: string) => HostNews;
  /** Version of its Node when that was last seen with labels that are not its host's. */
  readonly driftOf: (key: string) => string | undefined;
}

export const machineBinding = (options: MachineBindingOptions): Binding => ({
  followed: KINDS.metal3Machine,
  workflowType: 'metal3MachineWorkflow',
  finalizer: MACHINE_FINALIZER,
  related: [
    KINDS.machine,
    KINDS.cluster,
    KINDS.metal3Cluster,
    KINDS.dataClaim,
    KINDS.data,
    KINDS.ipClaim,
    KINDS.ipAddressClaim,
    KINDS.metal3MachineTemplate,
  ],
  concerned: (kind, object, stores) =>
    kind === null ? onHost(object as HostEntry, stores) : onObject(kind, object, stores),
  observe: (entry, stores) => observe(entry, stores, options),
  essence: (snapshot) => essence(snapshot as MachineSnapshot),
});

function essence(snapshot: MachineSnapshot): unknown {
  const { status: _, ...seen } = snapshot;
  return [essential(seen), seen.hostNews];
}

/** The machine that has the host, and those that say so. */
function* onHost(entry: HostEntry, stores: Stores): Iterable<string> {
  const { consumer, namespace, name } = factsOf(entry);
  if (consumer?.kind === KINDS.metal3Machine.kind) {
    yield keyOf({ namespace: consumer.namespace ?? namespace, name: consumer.name ?? '' });
  }
  for (const machine of stores.values(KINDS.metal3Machine)) {
    if (machine.namespace === namespace && hostNameOf(machine) === name) yield keyOf(machine);
  }
}

const hostNameOf = (entry: Entry): string => annotatedHost(metadataOf(entry).annotations[MACHINE_ANNOTATIONS.host]);

function* onObject(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const { namespace } = entry;
  switch (kind.kind) {
    case KINDS.machine.kind: {
      const { infrastructure } = machineOf(entry);
      if (infrastructure !== '') yield keyOf({ namespace, name: infrastructure });
      return;
    }
    case KINDS.cluster.kind:
      yield* ofCluster(namespace, entry.name, stores);
      return;
    case KINDS.metal3Cluster.kind: {
      const owner = ownerNamed(metadataOf(entry), KINDS.cluster.kind, CLUSTER_GROUP);
      if (owner !== undefined) yield* ofCluster(namespace, owner, stores);
      return;
    }
    case KINDS.dataClaim.kind:
      yield keyOf(entry);
      return;
    case KINDS.data.kind:
      yield* ofData(entry);
      return;
    case KINDS.ipClaim.kind:
    case KINDS.ipAddressClaim.kind: {
      const owner = ownerNamed(metadataOf(entry), KINDS.data.kind, groupOf(KINDS.data.apiVersion));
      const data = owner === undefined ? undefined : stores.get(KINDS.data, keyOf({ namespace, name: owner }));
      if (data !== undefined) yield* ofData(data);
      return;
    }
    case KINDS.metal3MachineTemplate.kind:
      for (const machine of stores.values(KINDS.metal3Machine)) {
        if (machine.namespace === namespace && templateNameOf(machine) === entry.name) yield keyOf(machine);
      }
  }
}

function* ofData(entry: Entry): Iterable<string> {
  for (const { kind, name } of metadataOf(entry).ownerReferences) {
    if (kind === KINDS.metal3Machine.kind) yield keyOf({ namespace: entry.namespace, name });
  }
}

function* ofCluster(namespace: string, name: string, stores: Stores): Iterable<string> {
  for (const machine of stores.values(KINDS.metal3Machine)) {
    const label = metadataOf(machine).labels[CLUSTER_LABELS.clusterName] ?? name;
    if (machine.namespace === namespace && label === name) yield keyOf(machine);
  }
}

function templateNameOf(entry: Entry): string | undefined {
  const { annotations } = metadataOf(entry);
  const isCloned = annotations[CLUSTER_ANNOTATIONS.clonedFromGroupKind] === CLONED_FROM_TEMPLATE;
  return isCloned ? annotations[CLUSTER_ANNOTATIONS.clonedFromName] : undefined;
}

function observe(
  entry: Entry,
  stores: Stores,
  { settings, newsOf, driftOf }: MachineBindingOptions,
): ReturnType<Binding['observe']> {
  const read = metal3Machine.safeParse(entry.object);
  if (!read.success) return { problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
  const { metadata, spec, status } = read.data as Metal3Machine;
  const { namespace } = entry;
  const { annotations = {}, finalizers = [], labels = {} } = metadata;
  const hostAnnotation = annotations[MACHINE_ANNOTATIONS.host];
  const host = hostOf(entry, hostAnnotation, stores);
  const claim = stores.get(KINDS.dataClaim, keyOf(entry));
  const claimed = claim && readDataClaim(claim.object);
  const dataName = status?.renderedData?.name ?? claimed?.renderedData?.name;
  const data = dataName === undefined ? undefined : stores.get(KINDS.data, keyOf({ namespace, name: dataName }));
  const templateName = templateNameOf(entry);
  const template = templateName && stores.get(KINDS.metal3MachineTemplate, keyOf({ namespace, name: templateName }));
  const templateSeen = template ? templateOf(template) : undefined;
  const nodeDrift = driftOf(keyOf(entry));
  const snapshot: MachineSnapshot = {
    ...identityOf(metadata),
    labels,
    paused: isPausedByAnnotation(metadata),
    held: finalizers.includes(MACHINE_FINALIZER),
    ...(hostAnnotation !== undefined && { hostAnnotation }),
    spec,
    settings,
    ...ownerIn(entry, stores),
    ...(host && { host: factsOf(host) }),
    ...(claimed && { claim: claimed }),
    ...(data && { data: dataIn(data, stores) }),
    ...(templateSeen && { template: templateSeen }),
    ...(host === undefined && { hostNews: newsOf(keyOf(entry)) }),
    ...(nodeDrift !== undefined && { nodeDrift }),
    ...(status !== undefined && { status: carried(status) }),
  };
  return snapshot;
}

function dataIn(entry: Entry, stores: Stores): MachineDataSeen {
  const seen = dataOf(entry);
  const waitingFor = seen.ready || seen.errorMessage !== undefined ? undefined : waitedForBy(entry, stores);
  return { ...seen, ...(waitingFor !== undefined && { waitingFor }) };
}

/** What the Nodes of machines are to be labelled with, by the keys of the machines. */
export function* labelOrders(machines: Iterable<Entry>, stores: Stores): Iterable<readonly [string, LabelOrder]> {
  for (const entry of machines) {
    const metadata = metadataOf(entry);
    if (isLeftAlone(metadata)) continue;
    const owner = ownerIn(entry, stores);
    // Most machines end here; to look for the host of one without the annotation is to look at all hosts.
    if (owner.metal3Cluster?.labelSyncPrefixes === undefined || !owner.owner?.nodeRef) continue;
    const host = hostOf(entry, metadata.annotations[MACHINE_ANNOTATIONS.host], stores);
    const order = labelOrder({ ...owner, ...(host && { host: factsOf(host) }) });
    if (order !== undefined && !('invalid' in order)) yield [keyOf(entry), order];
  }
}

/** Whether a machine would claim a host that it heard of. */
export function mayClaim(entry: Entry, stores: Stores): boolean {
  return !isLeftAlone(metadataOf(entry)) && ownerIn(entry, stores).cluster?.paused !== true;
}

/** Whether a host is kept for machines of a Cluster that is no more, or goes: none of them will ever come for it. */
export function isAbandoned({ consumer, namespace }: HostFacts, stores: Stores): boolean {
  if (consumer?.kind !== KINDS.cluster.kind || groupOf(consumer.apiVersion) !== CLUSTER_GROUP) return false;
  // What there is in other namespaces may not be known.
  if ((consumer.namespace ?? namespace) !== namespace) return false;
  const cluster = stores.get(KINDS.cluster, keyOf({ namespace, name: consumer.name ?? '' }));
  return cluster === undefined || (clusterOf(cluster).deleting && !isMovedAway(metadataOf(cluster)));
}

/** Nothing new is begun for a machine that goes or that somebody paused. */
const isLeftAlone = (metadata: ReturnType<typeof metadataOf>): boolean =>
  metadata.deletionTimestamp !== undefined || isPausedByAnnotation(metadata);

/** That which the annotation names or, without one, that which says it is the machine's. */
function hostOf(machine: Entry, annotation: string | undefined, stores: Stores): HostEntry | undefined {
  const { namespace } = machine;
  if (annotation !== undefined) return stores.host(keyOf({ namespace, name: annotatedHost(annotation) }));
  return stores.hosts().find((host) => host.namespace === namespace && isConsumer(factsOf(host).consumer, machine));
}

/** Its Machine, the Cluster that is named by that, and the Metal3Cluster that is named by that. */
function ownerIn(entry: Entry, stores: Stores): Pick<MachineSnapshot, 'owner' | 'cluster' | 'metal3Cluster'> {
  const { namespace } = entry;
  const meta = metadataOf(entry);
  const ownerName = ownerNamed(meta, KINDS.machine.kind, CLUSTER_GROUP);
  const found = ownerName === undefined ? undefined : stores.get(KINDS.machine, keyOf({ namespace, name: ownerName }));
  const machine = found && machineOf(found);
  const clusterName = machine ? machine.cluster : (meta.labels[CLUSTER_LABELS.clusterName] ?? '');
  const clusterEntry = stores.get(KINDS.cluster, keyOf({ namespace, name: clusterName }));
  const seen = clusterEntry && clusterOf(clusterEntry);
  const infrastructure = seen && stores.get(KINDS.metal3Cluster, keyOf({ namespace, name: seen.infrastructure }));
  return {
    ...(ownerName !== undefined && { owner: machine?.owner ?? null }),
    ...(seen && {
      cluster: {
        namespace: seen.namespace,
        name: seen.name,
        paused: seen.paused,
        deleting: seen.deleting,
        infrastructureReady: seen.infrastructureReady,
      },
    }),
    ...(infrastructure && { metal3Cluster: metal3ClusterOf(infrastructure) }),
  };
}

function carried(status: NonNullable<Metal3Machine['status']>): CarriedMachineStatus {
  const { initialization, addresses, userData, metaData, networkData, renderedData, deprecated } = status;
  const { failureReason, failureMessage } = deprecated?.v1beta1 ?? {};
  const { name, namespace } = renderedData ?? {};
  return {
    ...(initialization?.provisioned !== undefined && { provisioned: initialization.provisioned }),
    ...(addresses && { addresses }),
    ...(userData && { userData }),
    ...(metaData && { metaData }),
    ...(networkData && { networkData }),
    ...(name && namespace && { renderedData: { name, namespace } }),
    ...(failureReason && { failureReason }),
    ...(failureMessage && { failureMessage }),
    conditions: conditionsIn(status),
    legacyConditions: legacyConditionsIn(status),
  };
}
