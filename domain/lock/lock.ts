import { markOf } from './marks.ts';
import type { LockPolicy } from './policy.ts';

/** A bounded number of places: a host needs one of them, and at most `limit` hosts have one at a time. */
export interface Need {
  /**
   * The object that has the budget, with its steps and label: `erase in Namespace metal, zone=a`. Without the limit.
   */
  readonly budget: string;
  readonly limit: number;
}

/** A host's request for a place in all its budgets at once. */
export interface PlaceRequest {
  /** Workflow id of the host, which gets the answer. It has one request at a time. */
  readonly holder: string;
  /** Uid of the BareMetalHost: a recreated one is another host. */
  readonly uid: string;
  /** Identifies this request (`ticketOf`): a repeated request has the same ticket. */
  readonly ticket: string;
  readonly needs: readonly Need[];
  /** The step has begun already: the host gets its places even above the limits, and they count. */
  readonly underway: boolean;
  /** The host may have places of a lost run: it keeps them if they are in all of these budgets. */
  readonly isForgotten?: true;
  /** UUID of the host's Ironic node: while Ironic is working on it, the host gets its place at once. */
  readonly nodeId?: string;
}

/** A host that has its places or waits for them. */
export interface Applicant {
  /** Workflow id of the host, or `short` where the lock does not know it. */
  readonly holder: string;
  /** What stands for the id (`shortName`). */
  readonly short: string;
  readonly ticket: string;
  /** Indexes in `names`, each with the limit that the host knows. */
  readonly needs: readonly (readonly [budget: number, limit: number])[];
  /** Mark of the namespace. */
  readonly group: string;
  /** Mark of the Ironic node; '' for none. */
  readonly node: string;
  /** Bytes of the applicant without its name, as one run hands it on to the next. */
  readonly size: number;
  /** The host has no answer yet, or its last answer is outdated. */
  readonly unanswered?: true;
  /** The host has just got its place, or it had no run when it was last signalled. */
  readonly unconfirmed?: true;
}

export interface BudgetName {
  /** The name, or `short` where the lock does not know it. */
  readonly name: string;
  /** What stands for the name (`shortName`). */
  readonly short: string;
}

/** A host for which there was no room in the line. */
export type TurnedAway = Pick<Applicant, 'holder' | 'ticket'>;

/** Which hosts have places, and which wait, in the order in which they are served. Plain JSON. */
export interface Lock {
  readonly policy: LockPolicy;
  /** The budgets, each once. */
  readonly names: readonly BudgetName[];
  readonly holders: readonly Applicant[];
  readonly queue: readonly Applicant[];
  /** Hosts that are yet to be told that they were refused. */
  readonly refused: readonly TurnedAway[];
}

export const unused = (policy: LockPolicy): Lock => ({ policy, names: [], holders: [], queue: [], refused: [] });

/** Where namespaces have turns, no two of them share one. Elsewhere the mark says only who takes most of the line. */
const GROUP_LENGTH = { namespaces: 6, requests: 3 } as const;
const NODE_LENGTH = 8;

/** The mark of the namespace in a workflow id such as `baremetalhost/metal/host-1`. */
export const groupOf = ({ turnsOf }: LockPolicy, holder: string): string =>
  markOf(holder.split('/').slice(1, -1).join('/'), GROUP_LENGTH[turnsOf]);

export const nodeMark = (nodeId: string): string => (nodeId === '' ? '' : markOf(nodeId, NODE_LENGTH));

export function withoutMark(entry: Applicant, mark: 'unanswered' | 'unconfirmed'): Applicant {
  const { [mark]: _, ...rest } = entry;
  return rest;
}
