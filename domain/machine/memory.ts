import type { SecretReference } from '../../api/baremetalhost/types.ts';
import type { Metal3MachineSpec } from '../../api/metal3machine/types.ts';
import type { Condition, LegacyCondition } from '../entity/view.ts';
import { same } from '../same.ts';
import { CONDITIONS, type Conditions, LEGACY_CONDITIONS, type LegacyConditions } from './conditions.ts';
import type { HostFacts } from './host-facts.ts';
import type { LinkAnswer } from './provider-id.ts';
import type { HostNews, MachineAddress, MachineSnapshot } from './snapshot.ts';
import type { MachineAction } from './step.ts';

/** What the Metal3Machine is to say that its user does not. */
export interface MachineRecord {
  /** '' before it has one. */
  readonly providerID: string;
  /** Name of its host, '' before it has one. */
  readonly host: string;
  /** It must not vanish: something may have been done for it. */
  readonly holds: boolean;
  /** Only where they have to differ from what the user wrote; null: taken away. */
  readonly spec: {
    readonly failureDomain?: string | null;
    readonly automatedCleaningMode?: Metal3MachineSpec['automatedCleaningMode'];
    readonly dataTemplate?: Metal3MachineSpec['dataTemplate'];
  };
  readonly provisioned: boolean;
  readonly addresses: readonly MachineAddress[];
  readonly userData?: SecretReference;
  readonly metaData?: SecretReference;
  readonly networkData?: SecretReference;
  readonly renderedData?: { readonly name: string; readonly namespace: string };
  readonly failure?: { readonly reason: string; readonly message: string };
  readonly claims: Conditions;
  readonly legacy: LegacyConditions;
}

/** An action that failed, and when it is tried again. News end the wait. */
export interface FailedAction {
  readonly action: MachineAction['name'];
  readonly message: string;
  readonly count: number;
  /** ms since the epoch. */
  readonly until: number;
}

/** All that a machine's workflow remembers. Plain JSON; carried over by continue-as-new. */
export interface MachineMemory {
  readonly version: 1;
  readonly seen: Omit<MachineSnapshot, 'status'>;
  readonly record: MachineRecord;
  /** Why the last look for a host found none, and the last news that it took into account. */
  readonly noHost: { readonly reason: string; readonly news: HostNews } | null;
  /** The host was taken because it is kept for machines like this one. */
  readonly viaReuse: boolean;
  /** What became of the last look for the Node. */
  readonly node: LinkAnswer | null;
  /** Of a Node that is linked: how often it was looked for, and when it is again (ms since the epoch). */
  readonly lookAgain?: { readonly count: number; readonly at: number };
  /** Labels as they were last written to the Node. */
  readonly synced: Extract<MachineAction, { name: 'sync labels' }>['order'] | null;
  /** Nothing of the machine is left on its host, or it never had one. */
  readonly released: boolean;
  readonly trouble: FailedAction | null;
}

const pairs = <T extends string>(
  types: readonly T[],
  claims: readonly { readonly type: string }[],
): Record<string, object> =>
  Object.fromEntries(claims.filter(({ type }) => types.includes(type as T)).map(({ type, ...rest }) => [type, rest]));

function taken({ status, spec, held }: MachineSnapshot): MachineRecord {
  const { userData, metaData, networkData, renderedData } = status ?? {};
  const { failureReason: reason, failureMessage: message } = status ?? {};
  return {
    providerID: spec.providerID ?? '',
    host: '',
    holds: held,
    spec: {},
    provisioned: status?.provisioned === true,
    addresses: status?.addresses ?? [],
    ...(userData && { userData }),
    ...(metaData && { metaData }),
    ...(networkData && { networkData }),
    ...(renderedData && { renderedData }),
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

/** Starts from what the Metal3Machine itself tells, so that a lost database of Temporal heals. */
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
 * Takes in a newer snapshot; whatever is news ends the wait after a failure, and the search for a host goes on. That the
 * labels of a Node differ still, or again, is none: they may be what could not be written.
 */
export function absorb(memory: MachineMemory, snapshot: MachineSnapshot): MachineMemory {
  const { status: _, ...seen } = snapshot;
  const host = knownHost(memory, seen);
  const { host: __, ...rest } = seen;
  const isNews = !same(essential(withoutDrift(memory.seen)), essential(withoutDrift(seen)));
  return {
    ...memory,
    seen: { ...rest, ...(host && { host }) },
    noHost: isNews || !isUpToDate(seen, memory.noHost) ? null : memory.noHost,
    trouble: isNews ? null : memory.trouble,
    synced: isAnotherDrift(memory.seen, seen) ? null : memory.synced,
    // What was last known of the Node is asked for again where something that it is found by has changed.
    node: isAnotherSearch(memory.seen, seen) ? null : memory.node,
  };
}

/** What of a snapshot tells a machine something: versions by themselves don't. */
export function essential(seen: Omit<MachineSnapshot, 'status'>): object {
  const { resourceVersion: _, hostNews: __, host, ...rest } = seen;
  if (host === undefined) return rest;
  const { resourceVersion: ___, ...facts } = host;
  return { ...rest, host: facts };
}

/** Nothing was told since that look. */
export const isUpToDate = ({ hostNews }: Pick<MachineSnapshot, 'hostNews'>, noHost: MachineMemory['noHost']): boolean =>
  hostNews?.bridge === noHost?.news.bridge && (hostNews?.count ?? 0) <= (noHost?.news.count ?? 0);

function withoutDrift(seen: MachineMemory['seen']): MachineMemory['seen'] {
  const { nodeDrift: _, ...rest } = seen;
  return rest;
}

const isAnotherDrift = (before: MachineMemory['seen'], after: MachineMemory['seen']): boolean =>
  after.nodeDrift !== undefined && before.nodeDrift !== after.nodeDrift;

const isAnotherSearch = (before: MachineMemory['seen'], after: MachineMemory['seen']): boolean =>
  !same(before.host?.uid, after.host?.uid) ||
  !same(before.host?.hostname, after.host?.hostname) ||
  !same(before.spec.providerID, after.spec.providerID) ||
  !same(before.metal3Cluster?.cloudProvider, after.metal3Cluster?.cloudProvider) ||
  !same(before.owner?.configRef, after.owner?.configRef);

/** A host that was just taken is known before the annotation that names it is seen. */
function knownHost({ seen: before, record }: MachineMemory, seen: MachineMemory['seen']): HostFacts | undefined {
  const isUnnamed = record.host !== '' && annotatedHost(seen.hostAnnotation) !== record.host;
  if (seen.host === undefined && isUnnamed && before.host?.name === record.host) return before.host;
  return newer(before.host, seen.host);
}

/** The name that the annotation gives, with or without a namespace: it is always that of the machine. */
export const annotatedHost = (annotation: string | undefined): string =>
  annotation === undefined ? '' : annotation.slice(annotation.lastIndexOf('/') + 1);

/** What we wrote to a host ourselves is known before it is seen; what is seen then may be older. */
function newer(known: HostFacts | undefined, seen: HostFacts | undefined): HostFacts | undefined {
  if (known === undefined || seen === undefined || known.uid !== seen.uid) return seen;
  const [a, b] = [known.resourceVersion, seen.resourceVersion];
  return b.length === a.length ? (b < a ? known : seen) : b.length < a.length ? known : seen;
}

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

/** Takes optional fields of the record away. */
export function withoutRecorded(
  memory: MachineMemory,
  keys: readonly ('userData' | 'metaData' | 'networkData' | 'renderedData' | 'failure')[],
): MachineMemory {
  const record = Object.fromEntries(
    Object.entries(memory.record).filter(([key]) => !keys.some((gone) => gone === key)),
  );
  return { ...memory, record: record as unknown as MachineRecord };
}
