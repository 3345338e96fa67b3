import { z } from 'zod';
import { lenientText } from '../../api/meta/lenient.ts';
import { REMEDIATION_FINALIZER } from '../../api/metal3remediation/kind.ts';
import { believed } from '../../domain/clock.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { isLeftAlone } from '../../domain/machine-api/authority.ts';
import { isPowerOffKey, powerOffKey } from '../../domain/remediation/names.ts';
import { sickHost } from '../../domain/remediation/sick-host.ts';
import type { RemediationSnapshot, Rival, SickMachine } from '../../domain/remediation/snapshot.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { isClusterPaused } from '../../kube/objects/cluster.ts';
import { machinesByCluster } from '../../kube/objects/machine.ts';
import { readMachineApi } from '../../kube/objects/machine-api.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { metal3MachinesByHost, readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import {
  hasBackup,
  type RemediationRead,
  readRemediation,
  remediationsByMachine,
  remediationsByOwnMachine,
} from '../../kube/objects/metal3remediation.ts';
import { isNodeReady } from '../../kube/objects/node.ts';
import { readOwnSickMachine, readSickMachine } from '../../kube/objects/sick-machine.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../kube/store.ts';
import { type Binding, CLUSTER_API_EVENTS } from '../binding.ts';
import { machinesByHostIn, machinesByNodeRef } from './machine-api/links.ts';
import { hostEntryOf } from './machine-api/machine.ts';

const OWN_MACHINE = KINDS.openShiftMachine;

/** Metal3Remediations, each with its Machine and the host of that. */
export const remediationBinding = ({ hasMachineApi }: { readonly hasMachineApi: boolean }): Binding => ({
  followed: KINDS.remediation,
  finalizer: REMEDIATION_FINALIZER,
  // A MachineHealthCheck creates Metal3Remediations without the label of the filter.
  ignoresWatchFilter: true,
  // Includes Metal3Remediations, because another one of the same Machine may take precedence.
  related: [
    KINDS.remediation,
    KINDS.machine,
    KINDS.metal3Machine,
    KINDS.host,
    KINDS.cluster,
    ...(hasMachineApi ? [KINDS.openShiftMachine, KINDS.node] : []),
  ],
  isOfMany: true,
  unreadableReason: 'InvalidMetal3Remediation',
  ...CLUSTER_API_EVENTS,
  concerned,
  observe,
  essence(snapshot) {
    const { resourceVersion: _, generation: __, status: ___, ...seen } = snapshot as RemediationSnapshot;
    return seen;
  },
  isOutdated,
});

function* concerned(kind: FollowedKind, entry: Entry, stores: Stores): Iterable<string> {
  const { namespace } = entry;
  switch (kind.kind) {
    case KINDS.remediation.kind: {
      const { machine, isOfMachineApi } = readRemediation(entry.object);
      const of = isOfMachineApi ? ofOwnMachine : ofMachine;
      if (machine !== undefined) yield* of(keyOf({ namespace, name: machine }), stores);
      return;
    }
    case OWN_MACHINE.kind:
      yield* ofOwnMachine(keyOf(entry), stores);
      return;
    case KINDS.node.kind:
      for (const machine of stores.having(machinesByNodeRef(OWN_MACHINE), entry.name))
        yield* ofOwnMachine(keyOf(machine), stores);
      return;
    case KINDS.machine.kind:
      yield* ofMachine(keyOf(entry), stores);
      return;
    case KINDS.metal3Machine.kind:
      yield* ofMetal3Machine(entry, stores);
      return;
    case KINDS.host.kind: {
      for (const machine of stores.having(metal3MachinesByHost, keyOf(entry))) yield* ofMetal3Machine(machine, stores);
      for (const machine of stores.having(machinesByHostIn(OWN_MACHINE), keyOf(entry)))
        yield* ofOwnMachine(keyOf(machine), stores);
      for (const key of hostsByPowerOffKey.keysOf(entry))
        for (const remediation of stores.having(remediationsByPowerOffKey, key)) yield keyOf(remediation);
      return;
    }
    case KINDS.cluster.kind:
      for (const machine of stores.having(machinesByCluster, keyOf(entry))) yield* ofMachine(keyOf(machine), stores);
  }
}

function* ofMachine(key: string, stores: Stores): Iterable<string> {
  for (const remediation of stores.having(remediationsByMachine, key)) yield keyOf(remediation);
}

function* ofOwnMachine(key: string, stores: Stores): Iterable<string> {
  for (const remediation of stores.having(remediationsByOwnMachine, key)) yield keyOf(remediation);
}

function* ofMetal3Machine({ namespace, object }: Entry, stores: Stores): Iterable<string> {
  const owner = ownerOf(readMetadata(object), KINDS.machine)?.name;
  if (owner !== undefined) yield* ofMachine(keyOf({ namespace, name: owner }), stores);
}

function observe(entry: Entry, stores: Stores): RemediationSnapshot {
  const read = readRemediation(entry.object);
  const { metadata, strategy, status, machine: owner, isOfMachineApi } = read;
  const { namespace } = entry;
  const patient = owner === undefined ? undefined : (isOfMachineApi ? ownPatient : patientOf)(namespace, owner, stores);
  const { machine, isPaused = false } = patient ?? {};
  const host = patient?.host === undefined ? heldHost(entry, stores) : patient.host;
  return {
    ...identityOf(metadata),
    paused: isPausedByAnnotation(metadata) || isPaused,
    ...(strategy !== undefined && { strategy }),
    hasBackup: hasBackup(read),
    ...(owner !== undefined && { machine: machine ?? null }),
    ...(host !== undefined && { host }),
    rivals: owner === undefined ? [] : rivalsOf(entry, read, stores),
    ...(status !== undefined && { status }),
  };
}

/** A Machine, its host, and whether neither may be changed. */
interface Patient {
  readonly machine: SickMachine;
  readonly host: RemediationSnapshot['host'];
  readonly isPaused: boolean;
}

function patientOf(namespace: string, name: string, stores: Stores): Patient | undefined {
  const found = stores.get(KINDS.machine, keyOf({ namespace, name }));
  if (found === undefined) return undefined;
  const machine = machineIn(found, stores);
  const cluster = stores.get(KINDS.cluster, keyOf({ namespace, name: machine.cluster }));
  const isPaused = cluster !== undefined && isClusterPaused(cluster.object);
  return { machine, host: hostIn(machine, stores), isPaused };
}

/** The Machine is one of the Machine API, whose Node is watched. */
function ownPatient(namespace: string, name: string, stores: Stores): Patient | undefined {
  const found = stores.get(OWN_MACHINE, keyOf({ namespace, name }));
  if (found === undefined) return undefined;
  const machine = readOwnSickMachine(found.object);
  const node =
    machine.node === undefined ? undefined : stores.get(KINDS.node, keyOf({ namespace: '', name: machine.node }));
  const nodeNews = node === undefined ? '' : `${node.uid} ${isNodeReady(node.object) ? 'ready' : 'not ready'}`;
  const host = hostEntryOf(OWN_MACHINE, found, stores);
  const claimant = { namespace, name, api: OWN_MACHINE.apiVersion };
  return {
    machine: { ...machine, nodeNews },
    host: host && sickHost(readHost(host.object), claimant),
    isPaused: isLeftAlone(readMachineApi(found.object).authority),
  };
}

/** The Machine's facts. A Metal3Machine that is gone or being deleted is treated as missing. */
function machineIn(entry: Entry, stores: Stores): SickMachine {
  const machine = readSickMachine(entry.object);
  const metal3Machine = stores.get(KINDS.metal3Machine, keyOf({ ...entry, name: machine.metal3Machine }));
  const isThere = metal3Machine && readMetadata(metal3Machine.object).deletionTimestamp === undefined;
  return isThere ? machine : { ...machine, metal3Machine: '' };
}

function hostIn({ namespace, metal3Machine }: SickMachine, stores: Stores): RemediationSnapshot['host'] {
  const entry = stores.get(KINDS.metal3Machine, keyOf({ namespace, name: metal3Machine }));
  const name = entry && readMetal3Machine(entry.object).host;
  if (name === undefined) return undefined;
  const host = stores.get(KINDS.host, keyOf({ namespace, name }));
  return host === undefined ? null : sickHost(readHost(host.object), { namespace, name: metal3Machine });
}

const hostsByPowerOffKey: Index = {
  kind: KINDS.host,
  keysOf: (entry) => Object.keys(annotationsOf(entry)).filter(isPowerOffKey),
};
const remediationsByPowerOffKey: Index = { kind: KINDS.remediation, keysOf: ({ uid }) => [powerOffKey(uid)] };
const annotationsOf = ({ object }: Entry): Readonly<Record<string, string>> => readMetadata(object).annotations;

/** The host that the remediation keeps off, although no Machine names that any more: nobody else would let it on. */
function heldHost({ namespace, uid }: Entry, stores: Stores): RemediationSnapshot['host'] {
  for (const host of stores.having(hostsByPowerOffKey, powerOffKey(uid)))
    if (host.namespace === namespace) return sickHost(readHost(host.object), { namespace, name: '' });
  return undefined;
}

/** Of very many, those that have begun and the oldest: the others wait for them anyway. */
const MOST_RIVALS = 500;

function rivalsOf(
  { namespace, uid }: Entry,
  { machine: name = '', isOfMachineApi }: RemediationRead,
  stores: Stores,
): readonly Rival[] {
  const rivals: Rival[] = [];
  const index = isOfMachineApi ? remediationsByOwnMachine : remediationsByMachine;
  for (const { object } of stores.having(index, keyOf({ namespace, name }))) {
    const { metadata, status } = readRemediation(object);
    if (metadata.uid === uid) continue;
    const { uid: other, creationTimestamp } = metadata;
    rivals.push({
      name: metadata.name,
      uid: other,
      creationTimestamp,
      ...(status?.phase !== undefined && { phase: status.phase }),
    });
  }
  const isBegun = ({ phase }: Rival): boolean => phase !== undefined;
  const byAge = (a: Rival, b: Rival): number =>
    Number(isBegun(b)) - Number(isBegun(a)) || (a.creationTimestamp < b.creationTimestamp ? -1 : 1);
  return rivals.length <= MOST_RIVALS ? rivals : rivals.toSorted(byAge).slice(0, MOST_RIVALS);
}

const ORDER = ['Running', 'Waiting', 'Deleting machine'];
const progress = z.object({ phase: lenientText, lastRemediated: lenientText });

/** True when the object shows a later attempt, or a later phase of the same attempt. */
function isOutdated({ shown: { status = {} } }: EntityView, object: unknown, now: number): boolean {
  const shown = progress.parse(status);
  const { phase, lastRemediated } = readRemediation(object).status ?? {};
  if (phase === undefined || lastRemediated === undefined) return false;
  const began = believed(Date.parse(lastRemediated), now);
  if (lastRemediated !== shown.lastRemediated) return began > (Date.parse(shown.lastRemediated) || 0);
  return ORDER.indexOf(phase) > ORDER.indexOf(shown.phase);
}
