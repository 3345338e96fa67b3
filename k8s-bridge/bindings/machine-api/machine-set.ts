import { groupOf } from '../../../domain/cluster-api/names.ts';
import { identityOf } from '../../../domain/entity/seen.ts';
import type { Patch } from '../../../domain/entity/view.ts';
import { AUTOSCALE_ANNOTATION, DELETE_MARKS, OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import { hostWish } from '../../../domain/machine-api/provider-spec.ts';
import { scaleToHosts } from '../../../domain/machine-set/scale.ts';
import type { MachineSetSnapshot, OwnedMachine } from '../../../domain/machine-set/snapshot.ts';
import { listedOf } from '../../../domain/machine-set/surplus.ts';
import { byNamespace, byUid } from '../../../kube/by-name.ts';
import { type FollowedKind, isSameKind, KINDS } from '../../../kube/kinds.ts';
import { readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { type OwnMachineSetRead, readMachineApi, readOwnMachineSet } from '../../../kube/objects/machine-api.ts';
import type { Metadata } from '../../../kube/objects/metadata.ts';
import { isNodeReady } from '../../../kube/objects/node.ts';
import { keyOf } from '../../../kube/reflector.ts';
import { selects } from '../../../kube/selects.ts';
import type { Entry, Index, Stores } from '../../../kube/store.ts';
import { type Binding, MACHINE_API_EVENTS } from '../../binding.ts';
import { machinesByNodeRef } from './links.ts';
import type { MachineApiOptions } from './machine.ts';

const { openShiftMachineSet: FOLLOWED, openShiftMachine: MACHINE } = KINDS;

/** MachineSets of `machine.openshift.io`, each with its Machines and, when it is scaled to them, the hosts. */
export const machineSetBinding = ({
  settings,
  defaults,
}: Pick<MachineApiOptions, 'settings' | 'defaults'>): Binding => ({
  followed: FOLLOWED,
  // No finalizer is added: garbage collection deletes the Machines of a deleted MachineSet.
  finalizer: '',
  ignoresWatchFilter: true,
  related: [MACHINE, KINDS.host, KINDS.node],
  isOfMany: true,
  unreadableReason: 'InvalidMachineSet',
  ...MACHINE_API_EVENTS,
  concerned,
  observe: (entry, stores) => observe(entry, stores, { settings, defaults }),
  essence(snapshot) {
    const { resourceVersion: _, ...seen } = snapshot as MachineSetSnapshot;
    return seen;
  },
  complete: async ({ view: { shown }, object }) => ({
    status: shown.status === undefined ? object.status : { ...shown.status, ...ofOthers(object.status, shown.status) },
    isBlank: shown.status === undefined && shown.conditions === undefined,
  }),
});

const OURS = ['errorReason', 'errorMessage'];
/** OpenShift's migration controller owns authoritativeAPI. */
const ofOthers = (before: Patch, ours: Patch): Patch =>
  Object.fromEntries(
    Object.entries(before).filter(([key]) => !OURS.includes(key) && (!(key in ours) || key === 'authoritativeAPI')),
  );

const setOf = (machine: Entry): string | undefined => {
  const { ownerReferences } = readMachineApi(machine.object).metadata;
  const owner = ownerReferences.find((each) => each.controller && each.kind === FOLLOWED.apiKind);
  return owner !== undefined && groupOf(owner.apiVersion) === groupOf(OPENSHIFT_API) ? owner.uid : undefined;
};

const machinesBySet: Index = { kind: MACHINE, keysOf: (entry) => [setOf(entry)].filter((uid) => uid !== undefined) };
/** Machines without a controller reference. */
const orphansByNamespace: Index = {
  kind: MACHINE,
  keysOf: ({ namespace, object }) => (isOrphan(readMachineApi(object).metadata) ? [namespace] : []),
};
const isOrphan = ({ ownerReferences, deletionTimestamp }: Metadata): boolean =>
  deletionTimestamp === undefined && !ownerReferences.some(({ controller }) => controller);
/** MachineSets that are scaled to hosts, by their namespace. */
const scaledSets: Index = {
  kind: FOLLOWED,
  keysOf: ({ namespace, object }) =>
    AUTOSCALE_ANNOTATION in readOwnMachineSet(object).metadata.annotations ? [namespace] : [],
};

function* concerned(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  if (isSameKind(kind, KINDS.node)) {
    for (const machine of stores.having(machinesByNodeRef(MACHINE), entry.name)) yield* ofMachine(machine, stores);
    return;
  }
  if (isSameKind(kind, MACHINE)) yield* ofMachine(entry, stores);
  for (const set of stores.having(scaledSets, entry.namespace)) yield keyOf(set);
}

function* ofMachine(machine: Entry, stores: Stores): Iterable<string> {
  const uid = setOf(machine);
  if (uid !== undefined) for (const set of stores.having(byUid(FOLLOWED), uid)) yield keyOf(set);
  const { metadata } = readMachineApi(machine.object);
  if (!isOrphan(metadata)) return;
  for (const set of stores.having(byNamespace(FOLLOWED), machine.namespace)) {
    if (selects(readOwnMachineSet(set.object).selector, metadata.labels)) yield keyOf(set);
  }
}

function observe(
  entry: Entry,
  stores: Stores,
  { settings, defaults }: Pick<MachineApiOptions, 'settings' | 'defaults'>,
): MachineSetSnapshot {
  const read = readOwnMachineSet(entry.object);
  const { metadata, authority, replicas, deletePolicy, selector, labels } = read;
  const isScaled = AUTOSCALE_ANNOTATION in metadata.annotations;
  const invalid = selects(selector, labels) ? undefined : 'its selector is empty, or does not select its template';
  const orphans = [...stores.having(orphansByNamespace, entry.namespace)]
    .filter(({ object }) => selects(selector, readMachineApi(object).metadata.labels))
    .map(({ name, uid }) => ({ name, uid }));
  const machines = [...stores.having(machinesBySet, entry.uid)].map((machine) => owned(machine, labels, stores));
  return {
    ...identityOf(metadata),
    isController: settings.isController,
    ...(authority !== undefined && { authority }),
    replicas,
    deletePolicy,
    ...(invalid !== undefined && { invalid }),
    ...(isScaled && { scale: scaleOf(read, stores, defaults) }),
    ...listedOf(machines, deletePolicy),
    ...(orphans.length > 0 && { orphans: orphans.toSorted(byName).slice(0, MOST_ORPHANS) }),
  };
}

/** Adopted one after the other. */
const MOST_ORPHANS = 100;

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

function owned(entry: Entry, template: Readonly<Record<string, string>>, stores: Stores): OwnedMachine {
  const { metadata, nodeRef, phase } = readMachineApi(entry.object);
  const { name, uid, creationTimestamp, deletionTimestamp, annotations, labels } = metadata;
  const node = nodeRef === undefined ? undefined : stores.get(KINDS.node, keyOf({ namespace: '', name: nodeRef }));
  return {
    name,
    uid,
    creationTimestamp,
    deleting: deletionTimestamp !== undefined,
    marked: DELETE_MARKS.some((key) => key in annotations),
    failed: phase === 'Failed',
    hasNode: node !== undefined,
    isReady: node !== undefined && isNodeReady(node.object),
    isLabelled: Object.entries(template).every(([key, value]) => labels[key] === value),
  };
}

function scaleOf(
  { metadata, selector, value }: OwnMachineSetRead,
  stores: Stores,
  defaults: MachineApiOptions['defaults'],
): NonNullable<MachineSetSnapshot['scale']> {
  if (Object.keys(selector.matchLabels).length === 0 && selector.matchExpressions.length === 0) {
    return { suspended: 'its selector is empty' };
  }
  return scaleToHosts({
    hosts: [...stores.having(byNamespace(KINDS.host), metadata.namespace)].map(({ object }) => readHostFacts(object)),
    wish: hostWish(value, metadata, defaults),
    isOurs(machine) {
      const found = stores.get(MACHINE, keyOf(machine));
      return found && selects(selector, readMachineApi(found.object).metadata.labels);
    },
    api: OPENSHIFT_API,
  });
}
