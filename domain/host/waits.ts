import type { WaitsFor } from '../entity/listed.ts';
import { traitsOf } from '../states/table.ts';

/** What ends the waits of a host, by their reason. */
const ENDED_BY = {
  Quarantined: 'person',
  ParkedByAbort: 'person',
  WaitingForSecret: 'person',
  BMCCredentialError: 'person',
  NodeOccupied: 'person',
  RetryLimitReached: 'person',
  Retrying: 'retry',
  ApprovalNeeded: 'person',
  Rejected: 'person',
  WindowNeverOpen: 'person',
  WindowClosed: 'window',
  BudgetUnreadable: 'person',
  BudgetExhausted: 'budget',
  WaitingForSlot: 'slot',
} as const satisfies Readonly<Record<string, WaitsFor>>;

/** Why a host waits: the reason of its conditions and of its Event. */
export type WaitReason = keyof typeof ENDED_BY;

/** A wait for people; `cause` is short: without codes, times and sources. */
export interface Wait {
  readonly reason: WaitReason;
  readonly words: string;
  readonly cause: string;
}

/** What decides whether a host waits, as its run knows it or its object shows it. */
export interface WaitFacts {
  /** A person holds it back with an annotation, or has paused its run. */
  readonly isHeld: boolean;
  /** The reason of a wait after a failure. */
  readonly failed: string | undefined;
  /** The reason why its step is held. */
  readonly held: string | undefined;
  readonly operationalStatus: string;
  readonly state: string;
}

/** Why a host waits that nobody holds back. */
export const waitReason = ({ failed, held, operationalStatus }: WaitFacts): string | undefined =>
  failed ?? held ?? (operationalStatus === 'delayed' ? ('WaitingForSlot' satisfies WaitReason) : undefined);

const ENDS: ReadonlyMap<string, WaitsFor> = new Map(Object.entries(ENDED_BY));

/** Who or what ends the wait; undefined: the host is busy, or waits for nothing. People look at an unknown reason. */
export function endedBy(facts: WaitFacts): WaitsFor | undefined {
  if (facts.isHeld) return 'person';
  const reason = waitReason(facts);
  if (reason === undefined) return traitsOf(facts.state).lacksBmc ? 'person' : undefined;
  return ENDS.get(reason) ?? 'person';
}
