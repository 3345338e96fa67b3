/** What a lock does in its own way. It is data of the run, so that one workflow serves each lock. */
export interface LockPolicy {
  /**
   * Who is next. `requests`: whoever asked first. `namespaces`: each namespace that waits in turn, and within a namespace
   * whoever asked first.
   */
  readonly turnsOf: 'requests' | 'namespaces';
  /**
   * What is read beside the requests. `busy nodes`: before each place is given, the nodes that Ironic is working on.
   * `begun steps`: once, when the run begins without a memory, the hosts whose step has begun.
   */
  readonly reads: 'busy nodes' | 'begun steps';
  /** Waiting hosts of each budget that are told when its holders change. The others learn it when they ask again. */
  readonly toldOfChanges: number;
}

interface LockFacts {
  readonly workflowId: string;
  readonly policy: LockPolicy;
  readonly summary: string;
}

/** The locks, each with one run in a Temporal namespace. */
export const LOCKS = {
  slots: {
    workflowId: 'ironic-capacity/default',
    policy: { turnsOf: 'namespaces', reads: 'busy nodes', toldOfChanges: 0 },
    summary: 'Slots for hosts that Ironic works on',
  },
  budgets: {
    workflowId: 'approval-budgets/default',
    policy: { turnsOf: 'requests', reads: 'begun steps', toldOfChanges: 5 },
    summary: 'Budgets: how many hosts at a time may erase, power off or change firmware',
  },
} as const satisfies Readonly<Record<string, LockFacts>>;

export type LockName = keyof typeof LOCKS;
export const LOCK_NAMES: readonly LockName[] = ['slots', 'budgets'];

/** The one budget of the slots. */
export const SLOTS_IN_IRONIC = 'slots in Ironic';
