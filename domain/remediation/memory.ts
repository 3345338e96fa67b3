import type { Trouble } from '../entity/retry.ts';
import { areComparable } from '../entity/seen.ts';
import type { SickHost } from './sick-host.ts';
import type { RemediationPhase, RemediationSnapshot } from './snapshot.ts';

/** Memory of the workflow of a Metal3Remediation. Plain JSON. It never has the content of a Node. */
export interface RemediationMemory {
  readonly version: 1;
  readonly seen: Omit<RemediationSnapshot, 'status'>;
  readonly record: RemediationRecord;
  /** What was done with the Node while the host is off, in this attempt; `left`: as much as was possible in time. */
  readonly node: 'draining' | 'freed' | 'left' | null;
  /** The last look for the Node after the host was powered on. */
  readonly looked: { readonly news: string; readonly at: number } | null;
  /** The Node is back, with its labels and annotations and without the taint. */
  readonly returned: boolean;
  /** The Machine is handed over to Cluster API. */
  readonly handedOver: boolean;
  readonly trouble: LongTrouble | null;
}

/** The fields of the Metal3Remediation that the workflow writes. */
export interface RemediationRecord {
  /** Absent until it begins. */
  readonly phase?: RemediationPhase;
  readonly retryCount: number;
  /** RFC 3339; the beginning of the attempt. */
  readonly lastRemediated: string;
}

export interface LongTrouble extends Trouble {
  /** The time of the first failure, in ms since the epoch. */
  readonly since: number;
  /** The Metal3Remediation has vanished, and its host could not be let on: this is not tried again. */
  readonly afterVanishing?: true;
}

const DEFAULT_TIMEOUT_S = 600;

/** Starts from the object alone. What is repeated after a loss of the memory is found done. */
export function begin({ status, ...seen }: RemediationSnapshot): RemediationMemory {
  const { phase, retryCount = 0, lastRemediated = '' } = status ?? {};
  return {
    version: 1,
    seen,
    record: { ...(phase !== undefined && { phase }), retryCount, lastRemediated },
    ...UNTOUCHED,
  };
}

const UNTOUCHED = { node: null, looked: null, returned: false, handedOver: false, trouble: null } as const;

/** What we wrote to the host is remembered until it is seen: a snapshot may be older. */
export function absorb(memory: RemediationMemory, snapshot: RemediationSnapshot): RemediationMemory {
  const { status: _, ...seen } = snapshot;
  const { host } = memory.seen;
  const keepsHost = areComparable(memory.seen, seen) && host && seen.host && isOlder(seen.host, host);
  return { ...memory, seen: keepsHost ? { ...seen, host } : seen };
}

const isOlder = (a: SickHost, b: SickHost): boolean =>
  a.uid === b.uid &&
  (a.resourceVersion.length === b.resourceVersion.length
    ? a.resourceVersion < b.resourceVersion
    : a.resourceVersion.length < b.resourceVersion.length);

/** The memory at the beginning of an attempt. */
export const inAttempt = (memory: RemediationMemory, record: RemediationRecord): RemediationMemory => ({
  ...memory,
  ...UNTOUCHED,
  record,
});

export const inPhase = (memory: RemediationMemory, phase: RemediationPhase): RemediationMemory => ({
  ...memory,
  looked: null,
  trouble: null,
  record: { ...memory.record, phase },
});

/** The end of the attempt's time; ms since the epoch. */
export const deadlineOf = ({ seen, record }: RemediationMemory): number =>
  (Date.parse(record.lastRemediated) || 0) + timeoutOf(seen);

/** The time limit of an attempt, in ms. */
export const timeoutOf = ({ strategy }: Pick<RemediationSnapshot, 'strategy'>): number =>
  (strategy?.timeoutSeconds || DEFAULT_TIMEOUT_S) * 1_000;
