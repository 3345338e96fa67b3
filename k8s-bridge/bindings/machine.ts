import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import { type Metal3Machine, metal3Machine } from '../../api/metal3machine/schema.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { isConsumer } from '../../domain/machine/choose-host/host-facts.ts';
import { annotatedHost, essential } from '../../domain/machine/memory/memory.ts';
import type {
  CarriedMachineStatus,
  HostNews,
  MachineDataSeen,
  MachineSettings,
  MachineSnapshot,
} from '../../domain/machine/memory/snapshot.ts';
import type { LabelOrder } from '../../domain/machine/memory/step.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { labelOrder } from '../../domain/machine/node-link/label-sync.ts';
import { retryWish } from '../../domain/steering/retry-wish.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import { conditionsIn, legacyConditionsIn } from '../../kube/objects/conditions.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { type Metadata, ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Cluster } from '../../kube/objects/metal3cluster.ts';
import { dataSeen, readMetal3Data } from '../../kube/objects/metal3data.ts';
import { claimSeen, readDataClaim } from '../../kube/objects/metal3dataclaim.ts';
import {
  belongingOf,
  metal3MachinesByCluster,
  metal3MachinesByHost,
  metal3MachinesByTemplate,
  templateNameOf,
} from '../../kube/objects/metal3machine.ts';
import { readMachineTemplate } from '../../kube/objects/metal3machinetemplate.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { type Binding, CLUSTER_API_EVENTS, zodProblems } from '../binding.ts';
import { messageText } from '../digest.ts';
import { consumingMachine, hostsConsumedBy } from './consumers.ts';
import { waitedForBy } from './data.ts';
import { hostThatStays } from './host-that-stays.ts';

interface MachineBindingOptions {
  readonly settings: MachineSettings;
  /** Changes when a machine without a host should choose again. */
  readonly newsOf: (key: string) => HostNews;
  /**
   * Version of the machine's Node when its labels last differed from those of the host; undefined: they do not differ.
   */
  readonly driftOf: (key: string) => string | undefined;
  readonly note?: Binding['note'];
}

export const machineBinding = (options: MachineBindingOptions): Binding => ({
  followed: KINDS.metal3Machine,
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
    KINDS.host,
  ],
  unreadableReason: 'InvalidMetal3Machine',
  ...CLUSTER_API_EVENTS,
  concerned: onObject,
  observe: (entry, stores) => observe(entry, stores, options),
  essence: (snapshot) => essence(snapshot as MachineSnapshot),
  hindranceToLeave,
  ...(options.note !== undefined && { note: options.note }),
});

/**
 * Keeps the finalizer while the host still has the machine as consumer: its release was lost when etcd was restored.
 */
const hindranceToLeave: NonNullable<Binding['hindranceToLeave']> = ({ object: { metadata }, view, stores, kube }) => {
  const machine = { namespace: metadata.namespace, name: metadata.name };
  const named = [metadata.annotations, view.shown.annotations ?? {}].map((annotations) =>
    annotatedHost(annotations[MACHINE_ANNOTATIONS.host] ?? undefined),
  );
  return hostThatStays(machine, { kind: KINDS.metal3Machine, named, stores, kube });
};

function essence(snapshot: MachineSnapshot): unknown {
  const { status: _, ...seen } = snapshot;
  return [essential(seen), seen.hostNews, ...(seen.retry === undefined ? [] : [seen.retry]), ...lostSince(seen)];
}

/**
 * The version of the machine's host while that has no consumer. The machine may have got it back since the last signal,
 * and the host may have lost its consumer again.
 */
const lostSince = ({ host, hostAnnotation }: Pick<MachineSnapshot, 'host' | 'hostAnnotation'>): readonly string[] =>
  host !== undefined && host.consumer === undefined && annotatedHost(hostAnnotation) === host.name
    ? [host.resourceVersion]
    : [];

/** The consumer of the host, and the machines whose annotation names it. */
function* onHost(entry: Entry, stores: Stores): Iterable<string> {
  const machine = consumingMachine(entry);
  if (machine?.kind === KINDS.metal3Machine) yield keyOf(machine);
  for (const named of stores.having(metal3MachinesByHost, keyOf(entry))) yield keyOf(named);
}

function* onObject(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const { namespace } = entry;
  switch (kind.kind) {
    case KINDS.host.kind:
      yield* onHost(entry, stores);
      return;
    case KINDS.machine.kind: {
      const { infrastructure } = readMachine(entry.object);
      if (infrastructure !== '') yield keyOf({ namespace, name: infrastructure });
      return;
    }
    case KINDS.cluster.kind:
      yield* ofCluster(namespace, entry.name, stores);
      return;
    case KINDS.metal3Cluster.kind: {
      const owner = ownerOf(readMetadata(entry.object), KINDS.cluster)?.name;
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
      const owner = ownerOf(readMetadata(entry.object), KINDS.data)?.name;
      const data = owner === undefined ? undefined : stores.get(KINDS.data, keyOf({ namespace, name: owner }));
      if (data !== undefined) yield* ofData(data);
      return;
    }
    case KINDS.metal3MachineTemplate.kind:
      for (const machine of stores.having(metal3MachinesByTemplate, keyOf(entry))) yield keyOf(machine);
  }
}

function* ofData(entry: Entry): Iterable<string> {
  for (const { kind, name } of readMetadata(entry.object).ownerReferences) {
    if (kind === KINDS.metal3Machine.kind) yield keyOf({ namespace: entry.namespace, name });
  }
}

/** A machine without the label may belong to any Cluster, through its Machine. */
function* ofCluster(namespace: string, name: string, stores: Stores): Iterable<string> {
  for (const label of [name, '']) {
    for (const machine of stores.having(metal3MachinesByCluster, keyOf({ namespace, name: label })))
      yield keyOf(machine);
  }
}

function observe(
  entry: Entry,
  stores: Stores,
  { settings, newsOf, driftOf }: MachineBindingOptions,
): ReturnType<Binding['observe']> {
  const read = metal3Machine.safeParse(entry.object);
  if (!read.success) return { problems: zodProblems(read.error.issues) };
  const { metadata, spec, status } = read.data as Metal3Machine;
  const { namespace } = entry;
  const { annotations = {}, finalizers = [], labels = {} } = metadata;
  const { [MACHINE_ANNOTATIONS.host]: hostAnnotation } = annotations;
  const retry = retryWish(annotations);
  const host = hostOf(entry, hostAnnotation, stores);
  const claim = stores.get(KINDS.dataClaim, keyOf(entry));
  const claimed = claim && claimSeen(readDataClaim(claim.object));
  const dataName = status?.renderedData?.name ?? claimed?.renderedData?.name;
  const data = dataName === undefined ? undefined : stores.get(KINDS.data, keyOf({ namespace, name: dataName }));
  const templateName = templateNameOf(readMetadata(entry.object));
  const template = templateName && stores.get(KINDS.metal3MachineTemplate, keyOf({ namespace, name: templateName }));
  const templateSeen = template ? readMachineTemplate(template.object).seen : undefined;
  const nodeDrift = driftOf(keyOf(entry));
  const snapshot: MachineSnapshot = {
    ...identityOf(metadata),
    labels,
    paused: isPausedByAnnotation(metadata),
    hasFinalizer: finalizers.includes(MACHINE_FINALIZER),
    ...(retry !== undefined && { retry: messageText(retry) }),
    ...(hostAnnotation !== undefined && { hostAnnotation: messageText(hostAnnotation) }),
    spec: spec.image === undefined ? spec : { ...spec, image: sealImage(entry.uid, spec.image) },
    settings,
    ...ownerIn(entry, stores),
    ...(host && { host: readHostFacts(host.object) }),
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
  const seen = dataSeen(readMetal3Data(entry.object));
  const waitingFor = seen.ready || seen.errorMessage !== undefined ? undefined : waitedForBy(entry, stores);
  return { ...seen, ...(waitingFor !== undefined && { waitingFor }) };
}

/** The desired labels of machines' Nodes, by the keys of the machines. */
export function* labelOrders(machines: Iterable<Entry>, stores: Stores): Iterable<readonly [string, LabelOrder]> {
  for (const entry of machines) {
    const metadata = readMetadata(entry.object);
    if (isLeftAlone(metadata)) continue;
    const owner = ownerIn(entry, stores);
    // True for most machines.
    if (owner.metal3Cluster?.labelSyncPrefixes === undefined || !owner.owner?.nodeRef) continue;
    const host = hostOf(entry, metadata.annotations[MACHINE_ANNOTATIONS.host], stores);
    const order = labelOrder({ ...owner, ...(host && { host: readHostFacts(host.object) }) });
    if (order !== undefined && !('problem' in order)) yield [keyOf(entry), order];
  }
}

/** True when the machine would claim a host after a signal. */
export function mayClaim(entry: Entry, stores: Stores): boolean {
  return !isLeftAlone(readMetadata(entry.object)) && ownerIn(entry, stores).cluster?.paused !== true;
}

/** True for a machine that is paused or being deleted: nothing new is started for it. */
const isLeftAlone = (metadata: Metadata): boolean =>
  metadata.deletionTimestamp !== undefined || isPausedByAnnotation(metadata);

/**
 * The host named in the annotation or, without one, the host whose consumer is the machine: also for a machine that is
 * being deleted when the named one has another consumer, so that no host stays behind.
 */
function hostOf(machine: Entry, annotation: string | undefined, stores: Stores): Entry | undefined {
  const { namespace } = machine;
  const named =
    annotation === undefined
      ? undefined
      : stores.get(KINDS.host, keyOf({ namespace, name: annotatedHost(annotation) }));
  const isGoing = readMetadata(machine.object).deletionTimestamp !== undefined;
  if (annotation !== undefined && (!isGoing || isConsumer(named && readHostFacts(named.object).consumer, machine))) {
    return named;
  }
  for (const host of hostsConsumedBy({ ...machine, kind: KINDS.metal3Machine }, stores)) {
    if (isConsumer(readHostFacts(host.object).consumer, machine)) return host;
  }
  return named;
}

/** The Machine that owns it, the Machine's Cluster and the Cluster's Metal3Cluster. */
function ownerIn(entry: Entry, stores: Stores): Pick<MachineSnapshot, 'owner' | 'cluster' | 'metal3Cluster'> {
  const { namespace } = entry;
  const { owner, machine, cluster } = belongingOf(entry.object, (kind, name) => stores.get(kind, keyOf(name))?.object);
  const clusterEntry = stores.get(KINDS.cluster, keyOf({ namespace, name: cluster }));
  const seen = clusterEntry && readCluster(clusterEntry.object);
  const infrastructure = seen && stores.get(KINDS.metal3Cluster, keyOf({ namespace, name: seen.infrastructure }));
  return {
    ...(owner !== undefined && { owner: machine?.owner ?? null }),
    ...(seen && {
      cluster: {
        namespace: seen.namespace,
        name: seen.name,
        paused: seen.paused,
        deleting: seen.deleting,
        infrastructureReady: seen.infrastructureReady,
      },
    }),
    ...(infrastructure && { metal3Cluster: readMetal3Cluster(infrastructure.object) }),
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
