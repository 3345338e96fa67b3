import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../../api/metal3machine/schema.ts';
import { defined } from '../../defined.ts';
import { areComparable } from '../../entity/seen.ts';
import type { Condition, LegacyCondition, Shown, ShownEvent } from '../../entity/view.ts';
import { same } from '../../same.ts';
import type { WithSteered } from '../../steering/steered.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import { CONDITIONS, type Conditions, LEGACY_CONDITIONS, type LegacyConditions } from './conditions.ts';
import { type WithLastHost, withoutLastHost } from './last-host.ts';
import type { LinkAnswer } from './link.ts';
import type { HostNews, MachineAddress, MachineSnapshot } from './snapshot.ts';
import type { MachineAction } from './step.ts';

/** The fields of the Metal3Machine that the workflow writes. */
export interface MachineRecord {
  /** '' when it has none yet. */
  readonly providerID: string;
  /** Name of its host, '' when it has none yet. */
  readonly host: string;
  /** The machine needs our finalizer: something may have been done for it. */
  readonly needsFinalizer: boolean;
  /** Only values that differ from the user's spec; null removes. */
  readonly spec: {
    readonly failureDomain?: string | null;
    readonly automatedCleaningMode?: Metal3MachineSpec['automatedCleaningMode'];
    readonly dataTemplate?: Metal3MachineSpec['dataTemplate'];
    readonly metaData?: SecretReference;
    readonly networkData?: SecretReference;
  };
  readonly provisioned: boolean;
  readonly addresses: readonly MachineAddress[];
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly renderedData?: { readonly name: string; readonly namespace: string };
  readonly failure?: { readonly reason: string; readonly message: string };
  /** Message of a policy that forbids to write labels or annotations of the host or its Secret. */
  readonly refused?: string;
  readonly claims: Conditions;
  readonly legacy: LegacyConditions;
}

/** A failed action and the time of its retry. News ends the wait. */
export interface FailedAction {
  readonly action: MachineAction['name'];
  readonly message: string;
  readonly count: number;
  /** ms since the epoch. */
  readonly until: number;
}

/** Memory of the workflow of a machine. Plain JSON; continue-as-new passes it on. */
export interface MachineMemory extends WithSteered, WithLastHost {
  readonly version: 1;
  readonly seen: Omit<MachineSnapshot, 'status'>;
  readonly record: MachineRecord;
  /** Why the last search found no host, and the last news that it considered. */
  readonly noHost: { readonly reason: string; readonly news: HostNews } | null;
  /** The host was chosen because it is reserved for machines like this one. */
  readonly viaReuse: boolean;
  /** Version of the host after its last claim: an outdated consumer is written once for each version. */
  readonly marked?: string;
  /** The result of the last search for the Node. */
  readonly node: LinkAnswer | null;
  /** For a linked Node: the number of searches so far, and the time of the next one (ms since the epoch). */
  readonly nextSearch?: { readonly count: number; readonly at: number };
  /** The labels last written to the Node. */
  readonly synced: Extract<MachineAction, { name: 'sync labels' }>['order'] | null;
  /** The host is released, or there never was one. */
  readonly released: boolean;
  readonly trouble: FailedAction | null;
  /** The name of the last retry, until its annotation is gone. */
  readonly retried?: string;
  /** Events that are not written yet. */
  readonly events?: readonly ShownEvent[];
}

const pairs = <T extends string>(
  types: readonly T[],
  claims: readonly { readonly type: string }[],
): Record<string, object> =>
  Object.fromEntries(claims.filter(({ type }) => types.includes(type as T)).map(({ type, ...rest }) => [type, rest]));

function taken({ status, spec, hasFinalizer }: MachineSnapshot): MachineRecord {
  const { userData, metaData, networkData, renderedData } = status ?? {};
  const { failureReason: reason, failureMessage: message } = status ?? {};
  return {
    providerID: spec.providerID ?? '',
    host: '',
    needsFinalizer: hasFinalizer,
    spec: {},
    provisioned: status?.provisioned === true,
    addresses: status?.addresses ?? [],
    ...defined({ userData, metaData, networkData, renderedData }),
    ...(reason && message && { failure: { reason, message } }),
    claims: pairs([...CONDITIONS, 'Paused'], (status?.conditions ?? []).map(said)) as Conditions,
    legacy: pairs(LEGACY_CONDITIONS, (status?.legacyConditions ?? []).map(saidLegacy)) as LegacyConditions,
  };
}

const said = ({ type, status, reason, message }: Condition): Condition => ({ type, status, reason, message });
const saidLegacy = ({ type, status, severity, reason, message }: LegacyCondition): LegacyCondition => ({
  type,
  status,
  ...(severity && { severity }),
  ...(reason && { reason }),
  ...(message && { message }),
});

/** Starts from the Metal3Machine alone, so that a lost Temporal database does no harm to machines. */
export function begin(seen: MachineSnapshot): MachineMemory {
  const { status: _, ...rest } = seen;
  return {
    version: 1,
    seen: rest,
    record: taken(seen),
    noHost: null,
    viaReuse: false,
    node: null,
    synced: null,
    released: false,
    trouble: null,
  };
}

/**
 * Takes in a newer snapshot. News ends the wait after a failure and continues a search for a host. Different labels on
 * a Node are not news: writing them may be what failed.
 */
export function absorb(memory: MachineMemory, snapshot: MachineSnapshot): MachineMemory {
  if (lacksItsHost(memory, snapshot)) return begunAgain(memory, snapshot);
  const { status: _, ...seen } = snapshot;
  const host = knownHost(memory, seen);
  const { host: __, ...rest } = seen;
  const isNews = !same(essential(withoutDrift(memory.seen)), essential(withoutDrift(seen)));
  return withoutRetried({
    ...(seen.host === undefined ? memory : withoutLastHost(memory)),
    seen: { ...rest, ...(host && { host }) },
    // A release that was lost when etcd was restored is repeated.
    released: memory.released && areComparable(memory.seen, seen),
    noHost: isNews || !isUpToDate(seen, memory.noHost) ? null : memory.noHost,
    trouble: isNews ? null : memory.trouble,
    synced: isAnotherDrift(memory.seen, seen) ? null : memory.synced,
    // The Node is searched again when an input of the search has changed.
    node: isAnotherSearch(memory.seen, seen) ? null : memory.node,
  });
}

/** The annotation is gone: the next one is another request. */
function withoutRetried(memory: MachineMemory): MachineMemory {
  if (memory.seen.retry !== undefined || memory.retried === undefined) return memory;
  const { retried: _, ...rest } = memory;
  return rest;
}

/**
 * True when etcd may have been restored to a time before the machine took its host: the machine's annotation and the
 * host's consumer are not there, and the host may belong to another machine.
 */
function lacksItsHost({ seen: before, record }: MachineMemory, seen: MachineSnapshot): boolean {
  if (record.host === '' || areComparable(before, seen)) return false;
  return annotatedHost(seen.hostAnnotation) !== record.host && seen.host?.name !== record.host;
}

/** A memory that starts again keeps the name of the host that the machine had, or may have. */
export function begunAgain(before: MachineMemory, snapshot: MachineSnapshot): MachineMemory {
  const lastHost = before.record.host || before.lastHost;
  const isUnknown = lastHost !== undefined && snapshot.host === undefined;
  return isUnknown ? { ...begin(snapshot), lastHost } : begin(snapshot);
}

/** The part of a snapshot that counts as news: without versions. A retry is a step of its own. */
export function essential(seen: Omit<MachineSnapshot, 'status'>): object {
  const { resourceVersion: _, versionsSince: _1, hostNews: _2, retry: _3, host, ...rest } = seen;
  if (host === undefined) return rest;
  const { resourceVersion: _4, ...facts } = host;
  return { ...rest, host: facts };
}

/** True when there was no news since that search. */
export const isUpToDate = ({ hostNews }: Pick<MachineSnapshot, 'hostNews'>, noHost: MachineMemory['noHost']): boolean =>
  hostNews?.bridge === noHost?.news.bridge && (hostNews?.count ?? 0) <= (noHost?.news.count ?? 0);

function withoutDrift(seen: MachineMemory['seen']): MachineMemory['seen'] {
  const { nodeDrift: _, ...rest } = seen;
  return rest;
}

const isAnotherDrift = (before: MachineMemory['seen'], after: MachineMemory['seen']): boolean =>
  after.nodeDrift !== undefined && before.nodeDrift !== after.nodeDrift;

/** True when an input of the search for the Node has changed. */
export const isAnotherSearch = (before: MachineMemory['seen'], after: MachineMemory['seen']): boolean =>
  !same(before.host?.uid, after.host?.uid) ||
  !same(before.host?.hostname, after.host?.hostname) ||
  !same(before.spec.providerID, after.spec.providerID) ||
  !same(before.metal3Cluster?.cloudProvider, after.metal3Cluster?.cloudProvider) ||
  !same(before.owner?.configRef, after.owner?.configRef);

/** A newly claimed host is remembered until the annotation that names it is seen. */
function knownHost({ seen: before, record }: MachineMemory, seen: MachineMemory['seen']): HostFacts | undefined {
  const isUnnamed = record.host !== '' && annotatedHost(seen.hostAnnotation) !== record.host;
  if (!areComparable(before, seen)) return seen.host;
  if (seen.host === undefined && isUnnamed && before.host?.name === record.host) return before.host;
  return newer(before.host, seen.host);
}

/** The host's name in the annotation, with or without a namespace: the namespace is always that of the machine. */
export const annotatedHost = (annotation: string | undefined): string =>
  annotation === undefined ? '' : annotation.slice(annotation.lastIndexOf('/') + 1);

/** What we wrote to a host is remembered until it is seen; a snapshot may be older. */
function newer(known: HostFacts | undefined, seen: HostFacts | undefined): HostFacts | undefined {
  if (known === undefined || seen === undefined || known.uid !== seen.uid) return seen;
  return isOlder(seen, known) ? known : seen;
}

type Versioned = Pick<HostFacts, 'resourceVersion'>;

/** True when the first is an older version of a host than the second. */
export const isOlder = ({ resourceVersion: a }: Versioned, { resourceVersion: b }: Versioned): boolean =>
  a.length === b.length ? a < b : a.length < b.length;

export const withRecord = (memory: MachineMemory, change: Partial<MachineRecord>): MachineMemory => ({
  ...memory,
  record: { ...memory.record, ...change },
});

export const withConditions = (
  memory: MachineMemory,
  claims: Conditions,
  legacy: LegacyConditions = {},
): MachineMemory =>
  withRecord(memory, {
    claims: { ...memory.record.claims, ...claims },
    legacy: { ...memory.record.legacy, ...legacy },
  });

/** Removes optional fields of the record. */
export function withoutRecorded(
  memory: MachineMemory,
  keys: readonly ('userData' | 'metaData' | 'networkData' | 'renderedData' | 'failure')[],
): MachineMemory {
  const record = Object.fromEntries(
    Object.entries(memory.record).filter(([key]) => !keys.some((gone) => gone === key)),
  );
  return { ...memory, record: record as unknown as MachineRecord };
}

/** The Metal3Machine shows this: Events in it were written. */
export function withShown(memory: MachineMemory, { events: told = [] }: Shown): MachineMemory {
  const { events = [], ...rest } = memory;
  const left = events.filter(({ id }) => !told.some((event) => event.id === id));
  if (left.length === events.length) return memory;
  return left.length === 0 ? rest : { ...rest, events: left };
}
