/** What both kinds of machines remember of a host that may be theirs. */
export interface WithLastHost {
  /**
   * Name of a host that may be the machine's, although no snapshot shows it: etcd may have been restored, the snapshot
   * of a restarted bridge is older than the claim, or the answer to the claim was lost. The machine looks at that host
   * before it searches, or goes.
   */
  readonly lastHost?: string;
}

export function withoutLastHost<Memory extends WithLastHost>(memory: Memory): Memory {
  const { lastHost: _, ...rest } = memory;
  return rest as Memory;
}

/** Remembers the host of a claim whose outcome is unknown, unless a snapshot shows a host. */
export const withClaimed = <Memory extends WithLastHost & { readonly seen: { readonly host?: unknown } }>(
  memory: Memory,
  claimed: string | undefined,
): Memory => (claimed === undefined || memory.seen.host !== undefined ? memory : { ...memory, lastHost: claimed });
