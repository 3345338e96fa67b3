/** One reading of an object, with the cause that is reported. All times in ms since the epoch. */
export interface Look {
  /** Time before the reading began: nothing that was read is older. */
  readonly at: number;
  /** The cause was the first one that was reported. */
  readonly isTold: boolean;
  /** The host that was read. */
  readonly host?: {
    readonly state: string;
    /** When it entered the state, as its object shows it. */
    readonly since?: number;
    /** The usual time of the state; absent for a state at rest. */
    readonly usualMs?: number;
    /** When its status was written. */
    readonly writtenAt: number;
  };
  /** When an object that was read last began to show what it waits for. */
  readonly shownSince?: number;
}

/**
 * Follows a host, a machine or a Cluster from reading to reading. Returns how long the cause was missing after the usual
 * time of the host's state, so far (ms; 0: it was reported in time). Only times in the readings count, so a slow or rare
 * reading makes nothing later: without the cause, the time before the reading; with it, the time at which the host's
 * status was written. A state that the host enters again after a failure counts from the first time.
 *
 * A host at rest, or a machine or a Cluster without a host, has no usual time. Its cause is late by the time between
 * what the objects show when the cause is reported and the last reading without the cause. This is known only then:
 * until a host is at rest, and a machine has it, they wait for something else.
 */
export function latenessOf(): (look: Look) => number {
  const entered = new Map<string, number>();
  let late = 0;
  let lastWithout: number | undefined;
  return ({ at, isTold, host, shownSince }) => {
    if (!isTold) lastWithout = at;
    if (host?.usualMs === undefined) {
      if (isTold && shownSince !== undefined && lastWithout !== undefined)
        late = Math.max(late, lastWithout - shownSince);
      return late;
    }
    if (host.since === undefined) return late;
    const first = Math.min(host.since, entered.get(host.state) ?? host.since);
    entered.set(host.state, first);
    late = Math.max(late, (isTold ? host.writtenAt : at) - (first + host.usualMs));
    return late;
  };
}
