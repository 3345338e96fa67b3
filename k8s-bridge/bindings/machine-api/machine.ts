import { ACTUATOR_FINALIZER } from '../../../api/machine-api/kind.ts';
import { identityOf } from '../../../domain/entity/seen.ts';
import type { EntityView, Patch } from '../../../domain/entity/view.ts';
import { type Claimant, claimantKey, isConsumer } from '../../../domain/machine/choose-host/host-facts.ts';
import type { HostNews } from '../../../domain/machine/memory/snapshot.ts';
import type { Authority } from '../../../domain/machine-api/authority.ts';
import { CONTROLLER_FINALIZERS, MACHINE_API_ANNOTATIONS } from '../../../domain/machine-api/names.ts';
import type { NodeFacts } from '../../../domain/machine-api/node-link.ts';
import { isEmpty, lackingIn } from '../../../domain/machine-api/node-wish.ts';
import { type HostLink, linkInAnnotation } from '../../../domain/machine-api/provider-id.ts';
import { type DefaultDeployment, hostWish } from '../../../domain/machine-api/provider-spec.ts';
import type { MachineApiSettings, MachineApiSnapshot, NodeSeen } from '../../../domain/machine-api/snapshot.ts';
import { retryWish } from '../../../domain/steering/retry-wish.ts';
import { type FollowedKind, isSameKind, KINDS, type MachineApiKind } from '../../../kube/kinds.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { type MachineApiRead, readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { sealImage } from '../../../kube/objects/sealed-urls.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { Entry, Stores } from '../../../kube/store.ts';
import { type Binding, MACHINE_API_EVENTS } from '../../binding.ts';
import { messageText } from '../../digest.ts';
import { consumingMachine, hostsConsumedBy } from '../consumers.ts';
import { hostThatStays } from '../host-that-stays.ts';
import { machinesByHostIn, machinesByNode, nodeOf, nodesOf } from './links.ts';
import { remediationOf } from './remediation.ts';

export interface MachineApiOptions {
  readonly settings: MachineApiSettings;
  readonly defaults: DefaultDeployment;
  /** Changes when a machine without a host should choose again. */
  readonly newsOf: (claimant: string) => HostNews;
  readonly noteOf?: (kind: MachineApiKind) => NonNullable<Binding['note']>;
}

/** Machines of one group of the Machine API, each with its host and its Node. */
export const machineApiBinding = (followed: MachineApiKind, options: MachineApiOptions): Binding => ({
  followed,
  finalizer: options.settings.isController ? finalizerOf(followed) : ACTUATOR_FINALIZER,
  // The label of `--watch-filter` belongs to Cluster API.
  ignoresWatchFilter: true,
  related: [KINDS.host, KINDS.node, KINDS.healthCheck],
  unreadableReason: 'InvalidMachine',
  ...MACHINE_API_EVENTS,
  concerned: (kind, entry, stores) => concerned(followed, kind, entry, stores),
  observe: (entry, stores) => observe(followed, entry, stores, options),
  essence(snapshot) {
    const { resourceVersion: _, generation: __, ...seen } = snapshot as MachineApiSnapshot;
    return seen;
  },
  complete: async ({ view, object }) => ({
    status: statusOf(view, object.status, options.settings),
    isBlank: view.shown.status === undefined && view.shown.conditions === undefined,
  }),
  hindranceToLeave({ object: { metadata }, view, stores, kube }) {
    const { namespace, name } = metadata;
    const named = [metadata.annotations, view.shown.annotations ?? {}].map((annotations) => {
      const link = linkInAnnotation(annotations[MACHINE_API_ANNOTATIONS.host] ?? undefined);
      return link?.namespace === namespace ? link.name : '';
    });
    return hostThatStays(claimantOf(followed, { namespace, name }), { kind: followed, named, stores, kube });
  },
  ...(options.noteOf !== undefined && { note: options.noteOf(followed) }),
});

const finalizerOf = ({ apiVersion }: FollowedKind): string => CONTROLLER_FINALIZERS[apiVersion] ?? '';

const claimantOf = (
  { apiVersion }: FollowedKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Claimant => ({ namespace, name, api: apiVersion });

/** Status fields that we write; other fields belong to other programs, and conditions are merged by their types. */
const OURS = ['addresses', 'errorReason', 'errorMessage', 'conditions', 'lastUpdated'];
/** Status fields that we write in addition where we are the machine controller. */
const OF_CONTROLLER = ['phase', 'nodeRef'];
/** Reasons of errors that an actuator writes and removes. */
const OF_ACTUATOR = ['InvalidConfiguration', 'InsufficientResources'];

/**
 * The new status. A Machine without our finalizer keeps its status, and OpenShift's migration controller owns
 * authoritativeAPI.
 */
function statusOf(
  { shown: { finalizer, status = {} } }: EntityView,
  before: Patch,
  settings: MachineApiSettings,
): Patch {
  const { authoritativeAPI } = before;
  const kept = finalizer === true ? ofOthers(before, settings) : before;
  return { ...kept, ...status, ...(authoritativeAPI !== undefined && { authoritativeAPI }) };
}

function ofOthers(status: Patch, { isController }: MachineApiSettings): Patch {
  const { errorReason } = status;
  const isOthersError = !isController && typeof errorReason === 'string' && !OF_ACTUATOR.includes(errorReason);
  const others = Object.entries(status).filter(([key]) => {
    if (isOthersError && key.startsWith('error')) return true;
    return !OURS.includes(key) && !(isController && OF_CONTROLLER.includes(key));
  });
  return Object.fromEntries(others);
}

function* concerned(followed: MachineApiKind, kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  if (isSameKind(kind, KINDS.host)) {
    const machine = consumingMachine(entry);
    if (machine !== undefined && isSameKind(machine.kind, followed)) yield keyOf(machine);
    for (const named of stores.having(machinesByHostIn(followed), keyOf(entry))) yield keyOf(named);
    return;
  }
  // MachineHealthChecks are read only at the beginning of a remediation, so their changes queue nothing.
  if (isSameKind(kind, KINDS.healthCheck)) return;
  for (const machine of machinesByNode(followed, entry, stores)) yield keyOf(machine);
}

function observe(
  followed: MachineApiKind,
  entry: Entry,
  stores: Stores,
  { settings, defaults, newsOf }: MachineApiOptions,
): MachineApiSnapshot {
  const read = readMachineApi(entry.object);
  const { metadata, value, providerID, link, hooks, nodeRef, nodeWish } = read;
  const authority = authorityIn(followed, read);
  const { namespace, name, finalizers } = metadata;
  const controller = finalizerOf(followed);
  const isAdopted = finalizers.includes(controller);
  // OpenShift's machine controller drains each Machine that is being deleted, and writes the condition afterwards.
  const isDrainAwaited = isAdopted && !settings.isController && followed === KINDS.openShiftMachine;
  const wish = hostWish(value, metadata, defaults);
  const found = typeof link === 'string' ? undefined : hostOf(followed, entry, link, stores);
  const host = found && readHostFacts(found.object);
  const claimant = claimantOf(followed, { namespace, name });
  const node = host && nodeOf(nodesOf(stores, { nodeRef, providerID, host }), { nodeRef, providerID, host });
  const named = node ?? (host === undefined && nodeRef !== undefined ? nodesOf(stores, { nodeRef })[0] : undefined);
  // Only OpenShift has MachineHealthChecks.
  const remediation = followed === KINDS.openShiftMachine ? remediationOf(metadata, stores) : undefined;
  const retry = retryWish(metadata.annotations);
  return {
    ...identityOf(metadata),
    api: followed.apiVersion,
    settings,
    ...(authority !== undefined && { authority }),
    isAdopted,
    hasFinalizer: finalizers.includes(settings.isController ? controller : ACTUATOR_FINALIZER),
    desired: 'image' in wish && wish.image ? { ...wish, image: sealImage(entry.uid, wish.image) } : wish,
    providerID: messageText(providerID),
    link: link === undefined || typeof link === 'string' ? '' : messageText(`${link.namespace}/${link.name}`),
    ...(typeof link === 'string' && { linkProblem: messageText(link) }),
    ...(host !== undefined && { host }),
    ...(host === undefined && { hostNews: newsOf(claimantKey(claimant)) }),
    ...(named !== undefined && {
      node: { ...seenNode(named), ...(settings.isController && { lacks: !isEmpty(lackingIn(named, nodeWish)) }) },
    }),
    ...(nodeRef !== undefined && { nodeRef: messageText(nodeRef) }),
    hooks: hooks.map(messageText),
    isDrained: read.isDrained ?? !isDrainAwaited,
    ...(remediation && { remediation }),
    ...(retry !== undefined && { retry: messageText(retry) }),
  };
}

/** Only OpenShift moves Machines to Cluster API. */
export const authorityIn = (
  followed: MachineApiKind,
  { authority }: Pick<MachineApiRead, 'authority'>,
): Authority | undefined => (followed === KINDS.openShiftMachine ? authority : undefined);

/** The Node without the fields that were needed to find it. */
const seenNode = ({ name, uid, providerID, machine, hasLegacyFinalizer }: NodeFacts): NodeSeen => ({
  name,
  uid,
  providerID: messageText(providerID),
  machine: messageText(machine),
  hasLegacyFinalizer,
});

/** The Machine's host; null: it names a host that does not exist; undefined: it has none. */
export function hostEntryOf(followed: MachineApiKind, entry: Entry, stores: Stores): Entry | null | undefined {
  const { link } = readMachineApi(entry.object);
  if (typeof link === 'string') return undefined;
  return hostOf(followed, entry, link, stores) ?? (link === undefined ? undefined : null);
}

/**
 * The host that the Machine names or, if that does not exist, the host whose consumer it is: also for a Machine that is
 * being deleted when the named one has another consumer, so that no host stays behind. A host of another namespace is
 * never that of the Machine.
 */
function hostOf(followed: MachineApiKind, entry: Entry, link: HostLink | undefined, stores: Stores): Entry | undefined {
  const { namespace, name } = entry;
  const named = link?.namespace === namespace ? stores.get(KINDS.host, keyOf(link)) : undefined;
  const isNamed = named !== undefined && (link?.uid === undefined || link.uid === named.uid);
  const isGoing = readMetadata(entry.object).deletionTimestamp !== undefined;
  const isOurs = isNamed && isConsumer(readHostFacts(named.object).consumer, claimantOf(followed, { namespace, name }));
  if (isNamed && (isOurs || !isGoing)) return named;
  if (link?.uid !== undefined && !isGoing) return undefined;
  const [consumed] = hostsConsumedBy({ kind: followed, namespace, name }, stores);
  return consumed ?? (isNamed ? named : undefined);
}
